import { describe, expect, it } from 'vitest';
import { isDeeperThan } from '../../../src/api-client/json-depth.js';

describe('isDeeperThan', () => {
  it.each([
    ['1', 0],
    ['"[[[["', 0],
    ['[]', 1],
    ['{}', 1],
    ['[[],[],[[]]]', 3],
    ['{"a":{"b":[1,{"c":2}]}}', 4],
    ['[{"a":"}]{["},[1]]', 2],
    [String.raw`["\"[[[", "\\", [[]]]`, 3],
    [String.raw`["\\\"[[[[", 1]`, 1],
    ['["never ends [[[[', 1],
  ])('finds the depth of %s to be %i', (text, depth) => {
    expect(isDeeperThan(depth, text)).toBe(false);
    if (depth > 0) expect(isDeeperThan(depth - 1, text)).toBe(true);
  });

  it('does not count adjacent values as depth', () => {
    expect(isDeeperThan(2, `[${'[],{},'.repeat(100)}[]]`)).toBe(false);
    expect(isDeeperThan(1, `[${'[],{},'.repeat(100)}[]]`)).toBe(true);
  });

  it('counts arrays and objects together', () => {
    expect(isDeeperThan(100, `${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`)).toBe(false);
    expect(isDeeperThan(99, `${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`)).toBe(true);
  });
});
