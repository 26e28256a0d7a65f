import { expect, it } from 'vitest';
import { addressOf, parseBucket, readCredentials } from '../../../../src/store/s3/settings.js';

it.each([
  ['s3://data', { bucket: 'data', prefix: '' }],
  ['s3://data/', { bucket: 'data', prefix: '' }],
  ['s3://my.data-1/a/b c/', { bucket: 'my.data-1', prefix: 'a/b c' }],
])('reads %s', (place, parts) => {
  expect(parseBucket(place)).toEqual(parts);
});

it.each(['s3:/data', 's3://', 's3://Data/a', 'https://data', 's3://a/b', 's3://user:key@data/a'])(
  'refuses %s',
  (place) => {
    expect(() => parseBucket(place)).toThrow('is no bucket');
  },
);

it.each([
  [{}, {}, 'https://data.s3.us-east-1.amazonaws.com', 'us-east-1'],
  [{}, { AWS_DEFAULT_REGION: 'eu-west-1' }, 'https://data.s3.eu-west-1.amazonaws.com', 'eu-west-1'],
  [{}, { AWS_REGION: 'cn-north-1' }, 'https://data.s3.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
  [{ region: 'a-1' }, { AWS_REGION: 'b-1' }, 'https://data.s3.a-1.amazonaws.com', 'a-1'],
  [{ bucket: 'my.data' }, {}, 'https://s3.us-east-1.amazonaws.com/my.data', 'us-east-1'],
  [{}, { AWS_ENDPOINT_URL: 'http://localhost:7070/' }, 'http://localhost:7070/data', 'us-east-1'],
  [{}, { AWS_ENDPOINT_URL: 'http://a', AWS_ENDPOINT_URL_S3: 'http://b/s3' }, 'http://b/s3/data', 'us-east-1'],
  [{ endpoint: 'https://c', pathStyle: false }, { AWS_ENDPOINT_URL_S3: 'http://b' }, 'https://data.c', 'us-east-1'],
])('finds the address with %j and %j', (settings, env, url, region) => {
  expect(addressOf({ bucket: 'data', prefix: '', ...settings }, env)).toEqual({ url, region });
});

it.each(['localhost:7070', 'ftp://a', 'https://key:secret@a', 'https://a?x=1'])(
  'refuses the endpoint %s',
  (endpoint) => {
    const find = () => addressOf({ bucket: 'data', prefix: '', endpoint }, {});
    expect(find).toThrow('no web address');
    expect(find).not.toThrow('secret');
  },
);

it('needs both keys', () => {
  expect(() => readCredentials({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: ' ' })).toThrow('no credentials');
  expect(readCredentials({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: '' })).toEqual({
    accessKeyId: 'a',
    secretAccessKey: 'b',
    sessionToken: undefined,
  });
});
