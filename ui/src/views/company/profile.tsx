import type { JSX } from 'preact';
import type { ApiRow, Cell, CompanyAnswer } from '../../../../schemas/explorer/api.js';
import { Card, Nothing, Section } from '../../components/basics.js';
import { whyNoEuro } from '../../components/euro.js';
import { Fact, WebLink } from '../../components/facts.js';
import { cell, count, growth, instant, money, NONE, share } from '../../lib/format.js';

/** Facts, latest figures, classifications and markets of a company. */
export function Profile({ data }: { data: CompanyAnswer }): JSX.Element {
  const { company, summary, codes, markets, rejects } = data;
  const profiles = [company['pronet'], company['microblog'], company['socialnet']].map(cell).filter(Boolean);
  return (
    <>
      {summary !== null && <LatestFigures summary={summary} />}
      <div class="columns">
        <Section title="Record" about={readOn(company)}>
          <dl class="facts">
            <Fact name="Register number">{text(company['registration_number'])}</Fact>
            <Fact name="VAT number">{text(company['vat_number'])}</Fact>
            <Fact name="Legal form">{text(company['legal_form'])}</Fact>
            <Fact name="Founded">{text(company['founding_date'])}</Fact>
            <Fact name="Size">{text(company['size_text'])}</Fact>
            <Fact name="Address">
              {[company['address_street'], company['zip_code'], company['address_city'], company['country_name']]
                .map(cell)
                .filter(Boolean)
                .join(', ') || NONE}
            </Fact>
            <Fact name="Website">
              <WebLink address={company['website']} />
            </Fact>
            <Fact name="Profiles">
              {profiles.length === 0 && NONE}
              {profiles.map((address) => (
                <span key={address} class="line">
                  <WebLink address={address} />
                </span>
              ))}
            </Fact>
            <Fact name="Phones">{list(company['phones'])}</Fact>
            <Fact name="E-mail">{list(company['emails'])}</Fact>
            <Fact name="Brands">{list(company['brands'])}</Fact>
            <Fact name="First found">{text(company['first_seen_on'])}</Fact>
            <Fact name="Last found">{text(company['last_seen_on'])}</Fact>
          </dl>
        </Section>
        <div>
          <Section title="Classifications">
            {codes.length === 0 ? (
              <Nothing>The record names no classification.</Nothing>
            ) : (
              <dl class="facts">
                {[...new Set(codes.map(({ scheme }) => scheme))].map((scheme) => (
                  <Fact key={scheme} name={scheme.replaceAll('_', ' ')}>
                    {codes
                      .filter((code) => code.scheme === scheme)
                      .map(({ code_id: id, value }) => (
                        <span class="line" key={`${cell(id)} ${value}`}>
                          {value ?? NONE} {id !== null && <code>{id}</code>}
                        </span>
                      ))}
                  </Fact>
                ))}
              </dl>
            )}
          </Section>
          <Section title="Markets">
            {markets.length === 0 ? (
              <Nothing>No night found this company in a market.</Nothing>
            ) : (
              <dl class="facts">
                {markets.map(({ market, first_on: first, last_on: last, nights, in_market: inMarket }) => (
                  <Fact key={market} name={market}>
                    <span class="line">{inMarket ? 'found by the latest night' : 'not found by the latest night'}</span>
                    <span class="line">
                      {count(nights)} {nights === 1 ? 'night' : 'nights'},{' '}
                      {first === last ? first : `${first} to ${last}`}
                    </span>
                  </Fact>
                ))}
              </dl>
            )}
          </Section>
          {rejects.length > 0 && (
            <Section title="Rejects" about="Values in the API’s answers that could not be used.">
              <ul class="plain">
                {rejects.map((reject, i) => (
                  <li key={i}>
                    <code>
                      {text(reject['stream'])} {text(reject['path'])}
                    </code>{' '}
                    {text(reject['reason'])}: <code>{text(reject['raw'])}</code>
                  </li>
                ))}
              </ul>
            </Section>
          )}
        </div>
      </div>
    </>
  );
}

/** When the record was last read. If only searches named the company, `observed_at` is the time of such an answer. */
function readOn({ has_details: wasRead, observed_at: at }: ApiRow): string {
  return wasRead === false
    ? `Never read. A search last named the company ${instant(at)} UTC.`
    : `Last read ${instant(at)} UTC.`;
}

function LatestFigures({ summary }: { summary: Record<string, Cell> }): JSX.Element | null {
  if (summary['fiscal_year'] === null) return <Nothing>No report with a turnover is known.</Nothing>;
  const currency = summary['turnover_currency'];
  const inEuro =
    currency === 'EUR'
      ? undefined
      : summary['turnover_eur'] === null
        ? whyNoEuro(summary['turnover'], currency, summary['fiscal_year'])
        : money(summary['turnover_eur'], 'EUR');
  return (
    <div class="cards">
      <Card
        name={`Turnover ${text(summary['fiscal_year'])}`}
        value={money(summary['turnover'], currency)}
        more={inEuro}
      />
      <Card name="Growth of turnover" value={growth(summary['turnover_growth'])} more="against the year before" />
      <Card
        name="Profit after tax"
        value={money(summary['profit'], currency)}
        more={summary['profit_margin'] === null ? undefined : `${share(summary['profit_margin'])} of turnover`}
      />
      <Card name="Employees" value={count(summary['employees'])} more={text(summary['industry'])} />
    </div>
  );
}

function list(value: Cell | undefined): string {
  return Array.isArray(value) && value.length > 0 ? value.map(cell).join(', ') : NONE;
}

function text(value: Cell | undefined): string {
  return value === null || value === undefined || value === '' ? NONE : cell(value);
}
