-- Macros that read answers about owners. The reference shows no such answer. So keys are compared without case and
-- punctuation.

-- Returns a key in lower case and without punctuation: `Is-Conclusive` and `is_conclusive` both give `isconclusive`.
CREATE OR REPLACE TEMP MACRO owner_key(k) AS regexp_replace(lower(k), '[^a-z0-9]', '', 'g');

-- Returns the texts of several fields of an owner, in the order of their JSON paths. Leaves out fields without a text.
-- One call for several paths keeps planning fast, because DuckDB plans each call of a macro separately.
CREATE OR REPLACE TEMP MACRO owner_texts(o, paths) AS
  list_filter(list_transform(json_extract(o, paths), lambda j: json_text(j)), lambda t: t IS NOT NULL);

-- Returns the first number in a list of texts.
CREATE OR REPLACE TEMP MACRO owner_first_share(texts) AS
  list_filter(list_transform(texts, lambda t: owner_share(t)), lambda d: d IS NOT NULL)[1];

-- The macros below return facts about one owner in an answer. They look under the names that APIs usually use. NULL if
-- the answer has none.
CREATE OR REPLACE TEMP MACRO owner_person_id(o) AS owner_texts(o, ['$.person_id', '$.personId'])[1];

CREATE OR REPLACE TEMP MACRO owner_id(o) AS
  owner_texts(o, ['$.person_id', '$.personId', '$.owner_id', '$.ownerId', '$.entity_id', '$.entityId', '$.id'])[1];

CREATE OR REPLACE TEMP MACRO owner_name(o) AS
  owner_texts(o, ['$.name', '$.full_name', '$.fullName', '$.legal_name', '$.legalName'])[1];

CREATE OR REPLACE TEMP MACRO owner_type(o) AS
  owner_texts(o, ['$.owner_type', '$.ownerType', '$.entity_type', '$.entityType', '$.type', '$.kind'])[1];

CREATE OR REPLACE TEMP MACRO owner_country(o) AS
  owner_texts(o, ['$.country_code', '$.countryCode', '$.country', '$.jurisdiction', '$.nationality'])[1];

CREATE OR REPLACE TEMP MACRO owner_effective_share_texts(o) AS
  owner_texts(o, [
    '$.effective_ownership', '$.effectiveOwnership', '$.effective_share', '$.effectiveShare', '$.effective_percentage',
    '$.effectivePercentage', '$.effective_interest', '$.effectiveInterest'
  ]);

CREATE OR REPLACE TEMP MACRO owner_effective_share(o) AS owner_first_share(owner_effective_share_texts(o));

CREATE OR REPLACE TEMP MACRO owner_direct_share_texts(o) AS
  owner_texts(o, [
    '$.direct_ownership', '$.directOwnership', '$.direct_share', '$.directShare', '$.direct_percentage',
    '$.directPercentage', '$.direct_interest', '$.directInterest'
  ]);

CREATE OR REPLACE TEMP MACRO owner_direct_share(o) AS owner_first_share(owner_direct_share_texts(o));

-- Tells whether an owner is a person. Looks for a flag, else for a type that decides, else for the id of a person. NULL
-- if none is present.
CREATE OR REPLACE TEMP MACRO owner_is_person(o) AS
  coalesce(
    list_filter(
      list_transform(
        json_extract(o, ['$.is_natural_person', '$.isNaturalPerson', '$.natural_person', '$.is_person', '$.isPerson']),
        lambda j: json_flag(j)
      ),
      lambda flag: flag IS NOT NULL
    )[1],
    CASE
      WHEN owner_key(owner_type(o)) IN ('person', 'naturalperson', 'individual') THEN true
      WHEN owner_key(owner_type(o)) IN ('company', 'legalentity', 'legalperson', 'corporate', 'corporation', 'organisation', 'organization')
      THEN false
      WHEN owner_person_id(o) IS NOT NULL THEN true
    END
  );
