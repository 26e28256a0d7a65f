/*
 * Countries of the companies in the market. The sandbox chose them; a few countries have most of the companies.
 * Postcodes follow a pattern: 9 is a digit, A is a letter, other characters stay. '' means no postcodes.
 */

export interface MarketCountry {
  code: string;
  /** Share of the market's companies, relative to the other countries. */
  weight: number;
  currency: string;
  dialing: string;
  zipPattern: string;
  /** Number of postcodes in use. */
  zips: number;
  /** Suffixes of company names (legal forms). */
  suffixes: readonly string[];
  script: 'latin' | 'greek' | 'cyrillic' | 'japanese' | 'hangul' | 'hebrew' | 'arabic';
  /** Name of the filter for the national industry codes, also their `type`. Null if the reference names none. */
  sicScheme: string | null;
  /** Converts a NACE class (four digits, no dot) into a code that looks like a national code. */
  sicCode: (nace: string) => string;
  /** Each city with its region: [city, region]. The region may be null. */
  cities: readonly (readonly [string, string | null])[];
}

type Row = Omit<MarketCountry, 'script' | 'sicScheme' | 'sicCode'> &
  Partial<Pick<MarketCountry, 'script' | 'sicScheme' | 'sicCode'>>;

const same = (nace: string): string => nace;
const naicsLike = (nace: string): string => `${30 + (Number(nace) % 60)}${nace}`;

const rows: Row[] = [
  {
    code: 'GB',
    weight: 180,
    currency: 'GBP',
    dialing: '44',
    zipPattern: 'AA9 9AA',
    zips: 900,
    suffixes: ['Ltd', 'PLC', 'LLP', 'Limited'],
    sicScheme: 'sic_code_gb',
    sicCode: (n) => `${n}0`,
    cities: [
      ['London', 'Greater London'],
      ['Manchester', 'Greater Manchester'],
      ['Bristol', 'Avon'],
      ['Leeds', 'West Yorkshire'],
      ['Glasgow', 'Lanarkshire'],
      ['Cardiff', null],
    ],
  },
  {
    code: 'DE',
    weight: 140,
    currency: 'EUR',
    dialing: '49',
    zipPattern: '99999',
    zips: 900,
    suffixes: ['GmbH', 'AG', 'GmbH & Co. KG', 'UG (haftungsbeschränkt)'],
    sicScheme: 'sic_code_de',
    sicCode: (n) => `${n}0`,
    cities: [
      ['Berlin', 'Berlin'],
      ['Hamburg', 'Hamburg'],
      ['München', 'Bayern'],
      ['Köln', 'Nordrhein-Westfalen'],
      ['Leipzig', 'Sachsen'],
      ['Freiburg im Breisgau', 'Baden-Württemberg'],
    ],
  },
  {
    code: 'FR',
    weight: 100,
    currency: 'EUR',
    dialing: '33',
    zipPattern: '99999',
    zips: 700,
    suffixes: ['SARL', 'SAS', 'SA', 'EURL'],
    sicScheme: 'sic_code_fr',
    sicCode: (n) => `${n}Z`,
    cities: [
      ['Paris', 'Île-de-France'],
      ['Lyon', 'Auvergne-Rhône-Alpes'],
      ['Marseille', "Provence-Alpes-Côte d'Azur"],
      ['Lille', 'Hauts-de-France'],
      ['Nantes', 'Pays de la Loire'],
    ],
  },
  {
    code: 'NL',
    weight: 80,
    currency: 'EUR',
    dialing: '31',
    zipPattern: '9999 AA',
    zips: 600,
    suffixes: ['B.V.', 'N.V.', 'V.O.F.'],
    sicScheme: 'sic_code_nl',
    cities: [
      ['Amsterdam', 'Noord-Holland'],
      ['Rotterdam', 'Zuid-Holland'],
      ['Utrecht', 'Utrecht'],
      ["'s-Hertogenbosch", 'Noord-Brabant'],
      ['Groningen', 'Groningen'],
    ],
  },
  {
    code: 'DK',
    weight: 70,
    currency: 'DKK',
    dialing: '45',
    zipPattern: '9999',
    zips: 400,
    suffixes: ['ApS', 'A/S', 'I/S', 'IVS'],
    sicScheme: 'sic_code_dk',
    sicCode: (n) => `${n}00`,
    cities: [
      ['København', 'Hovedstaden'],
      ['Aarhus', 'Midtjylland'],
      ['Odense', 'Syddanmark'],
      ['Aalborg', 'Nordjylland'],
      ['Næstved', 'Sjælland'],
    ],
  },
  {
    code: 'SE',
    weight: 60,
    currency: 'SEK',
    dialing: '46',
    zipPattern: '999 99',
    zips: 400,
    suffixes: ['AB', 'HB', 'KB'],
    sicScheme: 'sic_code_se',
    sicCode: (n) => `${n}0`,
    cities: [
      ['Stockholm', 'Stockholms län'],
      ['Göteborg', 'Västra Götalands län'],
      ['Malmö', 'Skåne län'],
      ['Umeå', 'Västerbottens län'],
    ],
  },
  {
    code: 'NO',
    weight: 60,
    currency: 'NOK',
    dialing: '47',
    zipPattern: '9999',
    zips: 400,
    suffixes: ['AS', 'ASA', 'ANS', 'DA'],
    sicScheme: 'sic_code_no',
    sicCode: (n) => `${n}0`,
    cities: [
      ['Oslo', 'Oslo'],
      ['Bergen', 'Vestland'],
      ['Trondheim', 'Trøndelag'],
      ['Tromsø', 'Troms'],
      ['Stavanger', 'Rogaland'],
    ],
  },
  {
    code: 'BE',
    weight: 50,
    currency: 'EUR',
    dialing: '32',
    zipPattern: '9999',
    zips: 400,
    suffixes: ['BV', 'NV', 'SRL', 'SA'],
    sicScheme: 'sic_code_be',
    sicCode: (n) => `${n}0`,
    cities: [
      ['Bruxelles', 'Bruxelles-Capitale'],
      ['Antwerpen', 'Vlaanderen'],
      ['Gent', 'Vlaanderen'],
      ['Liège', 'Wallonie'],
    ],
  },
  {
    code: 'IT',
    weight: 50,
    currency: 'EUR',
    dialing: '39',
    zipPattern: '99999',
    zips: 500,
    suffixes: ['S.r.l.', 'S.p.A.', 'S.a.s.', 'S.n.c.'],
    sicScheme: 'sic_code_it',
    sicCode: (n) => `${n}00`,
    cities: [
      ['Milano', 'Lombardia'],
      ['Roma', 'Lazio'],
      ['Torino', 'Piemonte'],
      ['Forlì', 'Emilia-Romagna'],
      ['Napoli', 'Campania'],
    ],
  },
  {
    code: 'IE',
    weight: 40,
    currency: 'EUR',
    dialing: '353',
    zipPattern: 'A99 9A9A',
    zips: 400,
    suffixes: ['Limited', 'DAC', 'PLC', 'CLG'],
    sicScheme: 'sic_code_ie',
    cities: [
      ['Dublin', 'Leinster'],
      ['Cork', 'Munster'],
      ['Galway', 'Connacht'],
    ],
  },
  {
    code: 'US',
    weight: 60,
    currency: 'USD',
    dialing: '1',
    zipPattern: '99999',
    zips: 800,
    suffixes: ['Inc.', 'LLC', 'Corp.', 'L.P.'],
    sicScheme: 'sic_code_us',
    cities: [
      ['Austin', 'TX'],
      ['Columbus', 'OH'],
      ['Portland', 'OR'],
      ['Albany', 'NY'],
      ['Sacramento', 'CA'],
      ['Boise', 'ID'],
    ],
  },
  {
    code: 'CA',
    weight: 20,
    currency: 'CAD',
    dialing: '1',
    zipPattern: 'A9A 9A9',
    zips: 300,
    suffixes: ['Inc.', 'Ltd.', 'ULC'],
    sicScheme: 'sic_code_ca',
    sicCode: naicsLike,
    cities: [
      ['Toronto', 'ON'],
      ['Montréal', 'QC'],
      ['Calgary', 'AB'],
      ['Halifax', 'NS'],
    ],
  },
  {
    code: 'LU',
    weight: 20,
    currency: 'EUR',
    dialing: '352',
    zipPattern: 'L-9999',
    zips: 120,
    suffixes: ['S.à r.l.', 'S.A.', 'S.C.S.'],
    sicScheme: 'sic_code_lu',
    cities: [
      ['Luxembourg', null],
      ['Esch-sur-Alzette', null],
    ],
  },
  {
    code: 'SG',
    weight: 20,
    currency: 'SGD',
    dialing: '65',
    zipPattern: '999999',
    zips: 300,
    suffixes: ['Pte. Ltd.', 'Ltd.', 'LLP'],
    sicScheme: 'sic_code_sg',
    sicCode: (n) => `${n}9`,
    cities: [['Singapore', null]],
  },
  {
    code: 'ES',
    weight: 20,
    currency: 'EUR',
    dialing: '34',
    zipPattern: '99999',
    zips: 400,
    suffixes: ['S.L.', 'S.A.', 'S.L.U.'],
    cities: [
      ['Madrid', 'Madrid'],
      ['Barcelona', 'Cataluña'],
      ['Sevilla', 'Andalucía'],
      ['A Coruña', 'Galicia'],
    ],
  },
  {
    code: 'PL',
    weight: 20,
    currency: 'PLN',
    dialing: '48',
    zipPattern: '99-999',
    zips: 400,
    suffixes: ['Sp. z o.o.', 'S.A.', 'Sp.k.'],
    cities: [
      ['Warszawa', 'Mazowieckie'],
      ['Kraków', 'Małopolskie'],
      ['Łódź', 'Łódzkie'],
    ],
  },
  {
    code: 'FI',
    weight: 16,
    currency: 'EUR',
    dialing: '358',
    zipPattern: '99999',
    zips: 250,
    suffixes: ['Oy', 'Oyj', 'Ky'],
    cities: [
      ['Helsinki', 'Uusimaa'],
      ['Tampere', 'Pirkanmaa'],
      ['Hämeenlinna', 'Kanta-Häme'],
    ],
  },
  {
    code: 'AU',
    weight: 12,
    currency: 'AUD',
    dialing: '61',
    zipPattern: '9999',
    zips: 300,
    suffixes: ['Pty Ltd', 'Ltd'],
    sicScheme: 'sic_code_anz',
    cities: [
      ['Sydney', 'NSW'],
      ['Melbourne', 'VIC'],
      ['Perth', 'WA'],
    ],
  },
  {
    code: 'MX',
    weight: 12,
    currency: 'MXN',
    dialing: '52',
    zipPattern: '99999',
    zips: 300,
    suffixes: ['S.A. de C.V.', 'S. de R.L. de C.V.'],
    sicScheme: 'sic_code_mx',
    sicCode: naicsLike,
    cities: [
      ['Ciudad de México', 'CDMX'],
      ['Mérida', 'Yucatán'],
      ['Querétaro', 'Querétaro'],
    ],
  },
  {
    code: 'GR',
    weight: 12,
    currency: 'EUR',
    dialing: '30',
    zipPattern: '999 99',
    zips: 200,
    suffixes: ['Α.Ε.', 'Ε.Π.Ε.', 'Ο.Ε.'],
    script: 'greek',
    cities: [
      ['Αθήνα', 'Αττική'],
      ['Θεσσαλονίκη', 'Κεντρική Μακεδονία'],
    ],
  },
  {
    code: 'UA',
    weight: 12,
    currency: 'UAH',
    dialing: '380',
    zipPattern: '99999',
    zips: 250,
    suffixes: ['ТОВ', 'ПрАТ', 'ПП'],
    script: 'cyrillic',
    cities: [
      ['Київ', null],
      ['Львів', 'Львівська область'],
      ['Одеса', 'Одеська область'],
    ],
  },
  {
    code: 'JP',
    weight: 12,
    currency: 'JPY',
    dialing: '81',
    zipPattern: '999-9999',
    zips: 300,
    suffixes: ['株式会社', '合同会社', '有限会社'],
    script: 'japanese',
    cities: [
      ['東京都', '関東地方'],
      ['大阪市', '大阪府'],
      ['札幌市', '北海道'],
    ],
  },
  {
    code: 'NZ',
    weight: 6,
    currency: 'NZD',
    dialing: '64',
    zipPattern: '9999',
    zips: 150,
    suffixes: ['Limited'],
    sicScheme: 'sic_code_anz',
    cities: [
      ['Auckland', 'Tāmaki Makaurau'],
      ['Wellington', 'Te Whanganui-a-Tara'],
    ],
  },
  {
    code: 'KR',
    weight: 6,
    currency: 'KRW',
    dialing: '82',
    zipPattern: '99999',
    zips: 150,
    suffixes: ['주식회사', '유한회사'],
    script: 'hangul',
    cities: [
      ['서울특별시', null],
      ['부산광역시', null],
    ],
  },
  {
    code: 'IL',
    weight: 6,
    currency: 'ILS',
    dialing: '972',
    zipPattern: '9999999',
    zips: 150,
    suffixes: ['בע"מ'],
    script: 'hebrew',
    cities: [
      ['תל אביב', 'מחוז תל אביב'],
      ['חיפה', null],
    ],
  },
  {
    code: 'AE',
    weight: 6,
    currency: 'AED',
    dialing: '971',
    zipPattern: '',
    zips: 0,
    suffixes: ['ذ.م.م', 'FZE', 'LLC'],
    script: 'arabic',
    cities: [
      ['دبي', 'دبي'],
      ['أبوظبي', 'أبوظبي'],
    ],
  },
];

/** Market countries. Columns store a country as its position in this list. */
export const MARKET_COUNTRIES: readonly MarketCountry[] = rows.map((row) => ({
  script: 'latin',
  sicScheme: null,
  sicCode: same,
  ...row,
}));

/**
 * US dollars per unit of a currency. The rates are fixed, so the order of companies by turnover never depends on the
 * day.
 */
export const USD_PER: Readonly<Record<string, number>> = {
  USD: 1,
  EUR: 1.1,
  GBP: 1.3,
  DKK: 0.147,
  SEK: 0.096,
  NOK: 0.093,
  CAD: 0.73,
  SGD: 0.75,
  PLN: 0.255,
  AUD: 0.66,
  MXN: 0.055,
  UAH: 0.024,
  JPY: 0.0067,
  NZD: 0.6,
  KRW: 0.00073,
  ILS: 0.27,
  AED: 0.2723,
};
