-- Macros that read watch events.

-- Replaces an earlier name of a watch field with its current name. Other names stay unchanged. An earlier name that may
-- mean several fields also stays (shareholder_name, shareholder_meta, officer_meta, employee_meta).
CREATE OR REPLACE TEMP MACRO watch_field(t) AS
  coalesce(
    map_extract_value(
      MAP {
        'company_fax': 'company.fax',
        'company_address_street': 'company.address_street',
        'company_website': 'company.website',
        'company_phone': 'company.phone',
        'company_email': 'company.email',
        'company_name': 'company.name',
        'company_vat': 'company.vat',
        'company_employees_number': 'company.employees_number',
        'company_status': 'company.status',
        'financial': 'company.financial',
        'officer_phone': 'officer.phone',
        'officer_email': 'officer.email',
        'officer_resignation_date': 'officer.resignation_date',
        'employee_phone': 'employee.phone',
        'employee_email': 'employee.email',
        'employee_resignation_date': 'employee.resignation_date',
        'vat_number': 'company.vat'
      },
      t
    ),
    t
  );

-- True for a field whose events may be about people. These are all fields except those about the company itself. Same
-- rule as src/privacy/events.ts.
CREATE OR REPLACE TEMP MACRO watch_about_people(t) AS
  NOT regexp_full_match(trim(coalesce(t, '')), '(company|office|address)[._].*|financial|vat_number');

-- Splits a value into lower-case texts. For a nested value: its names and values. For plain text: the parts between
-- commas.
CREATE OR REPLACE TEMP MACRO event_value_texts(v) AS
  list_filter(
    list_transform(string_split_regex(lower(coalesce(v, '')), '[{}\[\]",:]+'), lambda t: trim(t)),
    lambda t: t <> ''
  );

-- Measures how well a message `m` (plain text) fits the values of an event. Adds up the lengths of the values' texts
-- that the message contains. Adds 1 if the old value comes before the new value in the message.
CREATE OR REPLACE TEMP MACRO event_mention(m, old_value, new_value) AS
  coalesce(
    list_sum(
      list_transform(
        list_distinct(list_concat(event_value_texts(old_value), event_value_texts(new_value))),
        lambda t: CASE WHEN contains(lower(m), t) THEN len(t) ELSE 0 END
      )
    ),
    0
  )
  + CASE WHEN strpos(lower(m), lower(old_value)) BETWEEN 1 AND strpos(lower(m), lower(new_value)) - 1 THEN 1 ELSE 0 END;
