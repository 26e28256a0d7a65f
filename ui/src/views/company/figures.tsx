import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiRow, Cell, CompanyAnswer, Figure } from '../../../../schemas/explorer/api.js';
import { Badge, Choice, Nothing, ScrollRegion, Section, TextTable } from '../../components/basics.js';
import { Chart } from '../../components/chart.js';
import { Euro } from '../../components/euro.js';
import { cell, count, growth, instant, money, NONE, share } from '../../lib/format.js';

const COMMON: readonly (readonly [column: string, name: string])[] = [
  ['turnover', 'Turnover'],
  ['gross_profit', 'Gross profit'],
  ['operating_profit', 'Operating profit'],
  ['ebitda', 'EBITDA'],
  ['pre_tax_profit', 'Profit before tax'],
  ['profit_after_tax', 'Profit after tax'],
  ['total_assets', 'Total assets'],
  ['total_liabilities', 'Total liabilities'],
  ['net_worth', 'Net worth'],
  ['cash', 'Cash'],
];

const MOST_YEARS = 120;

/** Figures over the years. A restated value has a mark, and shows what it was before. */
export function Figures({ data: { years, figures } }: { data: CompanyAnswer }): JSX.Element {
  const [euro, setEuro] = useState<'own' | 'eur'>('own');
  if (figures.length === 0) return <Nothing>No financial report of this company is known.</Nothing>;
  const restated = figures.filter(({ former }) => former.length > 0);
  return (
    <>
      <Section
        title="Common figures"
        aside={
          <Choice
            label="Currency"
            options={[
              ['own', 'Reported currency'],
              ['eur', 'EUR'],
            ]}
            value={euro}
            onChange={setEuro}
          />
        }
      >
        {years.length > 0 && <Overview years={years} euro={euro === 'eur'} />}
        <YearTable years={years} euro={euro === 'eur'} restated={restated} />
      </Section>
      {restated.length > 0 && <Restatements figures={restated} />}
      <AllIndicators figures={figures} />
    </>
  );
}

function Overview({ years: reported, euro }: { years: ApiRow[]; euro: boolean }): JSX.Element {
  const years = withGaps(reported);
  const suffix = euro ? '_eur' : '';
  const currencies = new Set(years.map((year) => cell(year['currency'])).filter(Boolean));
  const unit = euro ? 'EUR' : [...currencies].join(', ') || 'currency not stated';
  const labels = years.map((year) => cell(year['fiscal_year']));
  const values = (column: string): (number | null)[] => years.map((year) => asNumber(year[`${column}${suffix}`]));
  return (
    <div class="charts">
      {['turnover', 'profit_after_tax'].every((column) => isEmpty(values(column))) ? (
        <Nothing>
          {euro ? 'No turnover or profit has a value in EUR.' : 'No turnover or profit is reported.'} The table below
          says what is missing.
        </Nothing>
      ) : (
        <Chart
          title={`Turnover and profit, ${unit}`}
          table={{
            columns: ['Year', 'Turnover', 'Profit after tax'],
            rows: labels.map((label, i) => [
              label,
              values('turnover')[i] ?? NONE,
              values('profit_after_tax')[i] ?? NONE,
            ]),
          }}
          option={() => ({
            tooltip: { trigger: 'axis' },
            legend: {},
            xAxis: { type: 'category', data: labels },
            yAxis: { type: 'value', axisLabel: { formatter: (value: number) => money(value, null) } },
            series: [
              { type: 'bar', name: 'Turnover', data: values('turnover'), barMaxWidth: 34 },
              { type: 'bar', name: 'Profit after tax', data: values('profit_after_tax'), barMaxWidth: 34 },
            ],
          })}
        />
      )}
      {isEmpty(employees(years)) ? (
        <Nothing>No report states the number of employees.</Nothing>
      ) : (
        <Chart
          title="Employees"
          table={{
            columns: ['Year', 'Employees'],
            rows: labels.map((label, i) => [label, employees(years)[i] ?? NONE]),
          }}
          option={() => ({
            tooltip: { trigger: 'axis' },
            xAxis: { type: 'category', data: labels },
            yAxis: { type: 'value', minInterval: 1 },
            series: [{ type: 'line', name: 'Employees', data: employees(years), symbolSize: 7 }],
          })}
        />
      )}
    </div>
  );
}

function YearTable({ years, euro, restated }: { years: ApiRow[]; euro: boolean; restated: Figure[] }): JSX.Element {
  const newest = years.toReversed();
  const isRestated = (year: ApiRow, name: string): boolean =>
    restated.some(
      (figure) => figure.fiscal_year === year['fiscal_year'] && simple(figure.indicator) === simple(name) && !euro,
    );
  return (
    <ScrollRegion label="Common figures by year">
      <table class="years">
        <thead>
          <tr>
            <th scope="col">Figure</th>
            {newest.map((year) => (
              <th scope="col" class="num" key={cell(year['fiscal_year'])}>
                {cell(year['fiscal_year'])}
                <small>{euro ? 'EUR' : cell(year['currency'] ?? 'no currency')}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {COMMON.map(([column, name]) => (
            <tr key={column}>
              <th scope="row">{name}</th>
              {newest.map((year) => (
                <td class="num" key={cell(year['fiscal_year'])} title={count(year[`${column}${euro ? '_eur' : ''}`])}>
                  {euro ? (
                    <Euro
                      eur={year[`${column}_eur`]}
                      amount={year[column]}
                      currency={year['currency']}
                      year={year['fiscal_year']}
                    />
                  ) : (
                    money(year[column], null)
                  )}
                  {isRestated(year, column.replaceAll('_', '-')) && (
                    <abbr class="restated" title="restated: the list below shows the former value">
                      R
                    </abbr>
                  )}
                </td>
              ))}
            </tr>
          ))}
          <YearRow name="Employees" years={newest} show={(year) => count(year['employees'])} />
          <YearRow name="Growth of turnover" years={newest} show={(year) => growth(year['turnover_growth'])} />
          <YearRow name="Profit margin" years={newest} show={(year) => share(year['profit_margin'])} />
          <YearRow name="Equity ratio" years={newest} show={(year) => share(year['equity_ratio'])} />
          <YearRow name="Source" years={newest} show={(year) => cell(year['source'] ?? NONE)} />
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function YearRow({
  name,
  years,
  show,
}: {
  name: string;
  years: ApiRow[];
  show: (year: ApiRow) => string;
}): JSX.Element {
  return (
    <tr>
      <th scope="row">{name}</th>
      {years.map((year) => (
        <td class="num" key={cell(year['fiscal_year'])}>
          {show(year)}
        </td>
      ))}
    </tr>
  );
}

function Restatements({ figures }: { figures: Figure[] }): JSX.Element {
  return (
    <Section title="Restatements" about="Values that a later report changed, with the former values.">
      <TextTable label="Restatements" heads={['Year', 'Indicator', { name: 'Now', numeric: true }, 'Before']}>
        {figures.map((figure) => (
          <tr key={`${figure.fiscal_year} ${figure.indicator} ${figure.source}`}>
            <td>{figure.fiscal_year}</td>
            <td>
              <IndicatorName of={figure} />
            </td>
            <td class="num">{shown(figure.value, figure.text)}</td>
            <td>
              {figure.former.map(({ value, text, valid_from: from, valid_to: to }) => (
                <span class="line" key={from}>
                  {shown(value, text)} from {instant(from)} to {instant(to)}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </TextTable>
    </Section>
  );
}

function AllIndicators({ figures }: { figures: Figure[] }): JSX.Element {
  const [wanted, setWanted] = useState('');
  const years = [...new Set(figures.map(({ fiscal_year: year }) => year))].toSorted((a, b) => b - a);
  const matching = figures.filter(({ indicator }) => indicator.toLowerCase().includes(wanted.trim().toLowerCase()));
  const rows = new Map<string, Figure[]>();
  for (const figure of matching) {
    const key = `${figure.indicator}\n${figure.source}`;
    rows.set(key, [...(rows.get(key) ?? []), figure]);
  }
  return (
    <Section
      title="All indicators"
      about={`${count(new Set(figures.map(({ indicator }) => indicator)).size)} indicators as reported.`}
      aside={
        <label class="filter">
          Filter <input type="search" value={wanted} onInput={({ currentTarget }) => setWanted(currentTarget.value)} />
        </label>
      }
    >
      <ScrollRegion label="All indicators by year" tall>
        <table class="years">
          <thead>
            <tr>
              <th scope="col">Indicator</th>
              {years.map((year) => (
                <th scope="col" class="num" key={year}>
                  {year}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...rows].map(([key, own]) => (
              <tr key={key}>
                <th scope="row">{own[0] && <IndicatorName of={own[0]} />}</th>
                {years.map((year) => {
                  const figure = own.find(({ fiscal_year: of }) => of === year);
                  return (
                    <td class="num" key={year}>
                      {figure === undefined
                        ? NONE
                        : figure.indicator.endsWith('-Date')
                          ? (figure.text ?? cell(figure.value))
                          : shown(figure.value, figure.text)}
                      {figure !== undefined && figure.former.length > 0 && (
                        <abbr class="restated" title="restated">
                          R
                        </abbr>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Section>
  );
}

/** Name of an indicator, with the source of its report unless that is version 2 of the API. */
function IndicatorName({ of: { indicator, source } }: { of: Figure }): JSX.Element {
  return (
    <>
      {indicator} {source !== 'v2' && <Badge>{source}</Badge>}
    </>
  );
}

function shown(value: number | null, text: string | null): string {
  return value === null ? (text ?? NONE) : count(value);
}

function isEmpty(values: readonly (number | null)[]): boolean {
  return values.every((value) => value === null);
}

function employees(years: ApiRow[]): (number | null)[] {
  return years.map((year) => asNumber(year['employees']));
}

/** Adds an empty row for each year without a report, so that the charts show time in proportion. */
function withGaps(years: ApiRow[]): ApiRow[] {
  const known = years.map((year) => Number(year['fiscal_year']));
  const [first, last] = [Math.min(...known), Math.max(...known)];
  // A wrong year must not make a chart of thousands of years.
  if (last - first > MOST_YEARS) return years;
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const year = years.find((one) => Number(one['fiscal_year']) === first + i);
    return year ?? { fiscal_year: first + i };
  });
}

function asNumber(value: Cell | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function simple(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}
