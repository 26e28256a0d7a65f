import type { JSX } from 'preact';
import type { ApiRow } from '../../../../schemas/explorer/api.js';
import { Card, Nothing, Section } from '../../components/basics.js';
import { Chart } from '../../components/chart.js';
import { cell, count, instant, timeOf } from '../../lib/format.js';

/** The course of each usage metric: latest and lowest reading, and a chart. */
export function Quota({ readings }: { readings: ApiRow[] }): JSX.Element {
  const metrics = [...new Set(readings.map((reading) => cell(reading['metric'])))].map(
    (metric) => [metric, readings.filter((reading) => reading['metric'] === metric)] as const,
  );
  const isUsed = (own: ApiRow[]): boolean => own.some((reading) => Number(reading['used']) > 0);
  const used = metrics.filter(([, own]) => isUsed(own));
  const unused = metrics.filter(([, own]) => !isUsed(own)).map(([metric]) => metric);
  return (
    <Section
      title="Quota"
      about="Usage as the API reports it: the latest 60 readings of each metric. Runs read it when they begin and when they end."
    >
      {metrics.length === 0 && <Nothing>No reading of the quota is recorded yet.</Nothing>}
      {used.length > 0 && (
        <div class="cards wide">
          {used.map(([metric, own]) => (
            <Summary key={metric} metric={metric} readings={own} />
          ))}
        </div>
      )}
      {unused.length > 0 && <p class="about">No usage at any reading: {unused.join(', ')}.</p>}
      {used.length > 0 && (
        <Chart
          title="Used"
          height={240}
          table={{
            columns: ['Metric', 'Used', 'Allowed', 'Read, UTC'],
            rows: used.flatMap(([metric, own]) =>
              own.map((reading) => [metric, count(reading['used']), allowed(reading), instant(reading['read_at'])]),
            ),
          }}
          option={() => ({
            tooltip: { trigger: 'axis' },
            legend: {},
            // Many names need two lines.
            grid: { top: used.length > 3 ? 58 : 34 },
            xAxis: {
              type: 'time',
              axisLabel: { formatter: (time: number) => instant(new Date(time).toISOString()) },
            },
            yAxis: { type: 'value', minInterval: 1, axisLabel: { formatter: count } },
            series: used.map(([metric, own]) => ({
              type: 'line',
              name: metric,
              symbolSize: 5,
              data: own.map((reading) => [timeOf(reading['read_at']), Number(reading['used'])]),
            })),
          })}
        />
      )}
    </Section>
  );
}

/** The latest reading, and the one that left the least. Without a limit: the one with the highest usage. */
function Summary({ metric, readings }: { metric: string; readings: ApiRow[] }): JSX.Element {
  const latest = readings.at(-1);
  const left = (reading: ApiRow): number => Number(reading['total']) - Number(reading['used']);
  const limited = readings.filter((reading) => Number(reading['total']) > 0);
  const lowest = limited.toSorted((a, b) => left(a) - left(b))[0];
  const highest = readings.toSorted((a, b) => Number(b['used']) - Number(a['used']))[0];
  return (
    <Card
      name={metric}
      value={count(latest?.['used'])}
      more={
        <>
          used, {latest === undefined ? '' : allowed(latest)}; read {instant(latest?.['read_at'])} UTC
          <br />
          {lowest === undefined
            ? `most used: ${count(highest?.['used'])}, ${instant(highest?.['read_at'])}`
            : `least left: ${count(left(lowest))}, ${instant(lowest['read_at'])}`}
        </>
      }
    />
  );
}

/** A total of 0 means that the API gives no figure. */
function allowed({ total }: ApiRow): string {
  return Number(total) === 0 ? 'limit not stated' : `${count(total)} allowed`;
}
