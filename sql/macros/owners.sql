-- Macros that read answers about owners. The reference shows no such answer. So keys are compared without case and
-- punctuation.

-- Returns a key in lower case and without punctuation: `Is-Conclusive` and `is_conclusive` both give `isconclusive`.
CREATE OR REPLACE TEMP MACRO owner_key(k) AS regexp_replace(lower(k), '[^a-z0-9]', '', 'g');

-- Parses a boolean, or a text that certainly means one (`yes`, `no`).
CREATE OR REPLACE TEMP MACRO json_flag(j) AS
  CASE lower(json_text(j)) WHEN 'true' THEN true WHEN 'yes' THEN true WHEN 'false' THEN false WHEN 'no' THEN false END;

-- Parses a share: a number, or a text with a number and perhaps a percent sign. Does not convert percent.
CREATE OR REPLACE TEMP MACRO owner_share(j) AS
  TRY_CAST(replace(regexp_extract(json_text(j), '^([0-9]+([.,][0-9]+)?([eE]-?[0-9]+)?) ?%?$', 1), ',', '.') AS DOUBLE);

-- The macros below return facts about one owner in an answer. They look under the names that APIs usually use. NULL if
-- the answer has none.
CREATE OR REPLACE TEMP MACRO owner_person_id(o) AS
  coalesce(json_text(json_extract(o, '$.person_id')), json_text(json_extract(o, '$.personId')));

CREATE OR REPLACE TEMP MACRO owner_id(o) AS
  coalesce(
    owner_person_id(o), json_text(json_extract(o, '$.owner_id')), json_text(json_extract(o, '$.ownerId')),
    json_text(json_extract(o, '$.entity_id')), json_text(json_extract(o, '$.entityId')), json_text(json_extract(o, '$.id'))
  );

CREATE OR REPLACE TEMP MACRO owner_name(o) AS
  coalesce(
    json_text(json_extract(o, '$.name')), json_text(json_extract(o, '$.full_name')), json_text(json_extract(o, '$.fullName')),
    json_text(json_extract(o, '$.legal_name')), json_text(json_extract(o, '$.legalName'))
  );

CREATE OR REPLACE TEMP MACRO owner_type(o) AS
  coalesce(
    json_text(json_extract(o, '$.owner_type')), json_text(json_extract(o, '$.ownerType')), json_text(json_extract(o, '$.entity_type')),
    json_text(json_extract(o, '$.entityType')), json_text(json_extract(o, '$.type')), json_text(json_extract(o, '$.kind'))
  );

CREATE OR REPLACE TEMP MACRO owner_country(o) AS
  coalesce(
    json_text(json_extract(o, '$.country_code')), json_text(json_extract(o, '$.countryCode')), json_text(json_extract(o, '$.country')),
    json_text(json_extract(o, '$.jurisdiction')), json_text(json_extract(o, '$.nationality'))
  );

CREATE OR REPLACE TEMP MACRO owner_effective_share(o) AS
  coalesce(
    owner_share(json_extract(o, '$.effective_ownership')), owner_share(json_extract(o, '$.effectiveOwnership')),
    owner_share(json_extract(o, '$.effective_share')), owner_share(json_extract(o, '$.effectiveShare')),
    owner_share(json_extract(o, '$.effective_percentage')), owner_share(json_extract(o, '$.effectivePercentage')),
    owner_share(json_extract(o, '$.effective_interest')), owner_share(json_extract(o, '$.effectiveInterest'))
  );

CREATE OR REPLACE TEMP MACRO owner_direct_share(o) AS
  coalesce(
    owner_share(json_extract(o, '$.direct_ownership')), owner_share(json_extract(o, '$.directOwnership')),
    owner_share(json_extract(o, '$.direct_share')), owner_share(json_extract(o, '$.directShare')),
    owner_share(json_extract(o, '$.direct_percentage')), owner_share(json_extract(o, '$.directPercentage')),
    owner_share(json_extract(o, '$.direct_interest')), owner_share(json_extract(o, '$.directInterest'))
  );

-- Tells whether an owner is a person. Looks for a flag, else for a type that decides, else for the id of a person. NULL
-- if none is present.
CREATE OR REPLACE TEMP MACRO owner_is_person(o) AS
  coalesce(
    json_flag(json_extract(o, '$.is_natural_person')), json_flag(json_extract(o, '$.isNaturalPerson')),
    json_flag(json_extract(o, '$.natural_person')), json_flag(json_extract(o, '$.is_person')), json_flag(json_extract(o, '$.isPerson')),
    CASE
      WHEN owner_key(owner_type(o)) IN ('person', 'naturalperson', 'individual') THEN true
      WHEN owner_key(owner_type(o)) IN ('company', 'legalentity', 'legalperson', 'corporate', 'corporation', 'organisation', 'organization')
      THEN false
      WHEN owner_person_id(o) IS NOT NULL THEN true
    END
  );
