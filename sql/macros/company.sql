-- Macros that parse lists in company fields.

-- Splits `A, B,C` into a list.
CREATE OR REPLACE TEMP MACRO comma_texts(t) AS
  list_filter(list_transform(string_split(t, ','), lambda x: trim(x)), lambda x: x <> '');

-- Splits a text into phone numbers or e-mail addresses, if every part certainly is one. Otherwise returns the whole
-- text as one entry.
CREATE OR REPLACE TEMP MACRO phone_texts(t) AS
  CASE
    WHEN regexp_full_match(t, '\s*\+?[0-9][0-9 ()./-]{4,}(\s*[,;|\n]\s*\+?[0-9(][0-9 ()./-]{4,})*')
    THEN list_transform(regexp_split_to_array(t, '[,;|\n]'), lambda x: trim(x))
    WHEN t IS NOT NULL THEN [t]
  END;
CREATE OR REPLACE TEMP MACRO email_texts(t) AS
  CASE
    WHEN regexp_full_match(t, '[^@\s,;|]+@[^@\s,;|]+([\s,;|]+[^@\s,;|]+@[^@\s,;|]+)*') THEN regexp_split_to_array(t, '[\s,;|]+')
    WHEN t IS NOT NULL THEN [t]
  END;

-- Returns a text for comparisons: without case, spaces, and the zeros that a number loses. `00 12` and `12.0` both give
-- `12`.
CREATE OR REPLACE TEMP MACRO loose_text(t) AS
  regexp_replace(regexp_replace(lower(t), '[\s\x{00a0}]+', '', 'g'), '^0*([0-9]+?)(\.0+)?$', '\1');

-- Applies loose_text to the entries of a list and sorts them. NULL for a list without entries.
CREATE OR REPLACE TEMP MACRO loose_texts(l) AS
  CASE WHEN len(l) > 0 THEN list_sort(list_distinct(list_transform(l, lambda x: loose_text(x)))) END;

-- Returns the fields of a company record that the reference does not list, as received; NULL if there are none.
CREATE OR REPLACE TEMP MACRO company_extra(doc) AS
  CASE WHEN NOT json_keys(doc) <@ [
    'id', 'name', 'registration_number', 'country_code', 'company_phone', 'company_email', 'company_fax', 'company_website',
    'company_legal_form', 'status', 'brands', 'address_street', 'address_location', 'address_city', 'country_region', 'zip_code',
    'country_name', 'size', 'vat_number', 'founding_date', 'industry', 'sic', 'microblog', 'pronet', 'socialnet'
  ] THEN
    nullif(CAST(json_merge_patch(doc, '{
      "id":null, "name":null, "registration_number":null, "country_code":null, "company_phone":null, "company_email":null,
      "company_fax":null, "company_website":null, "company_legal_form":null, "status":null, "brands":null,
      "address_street":null, "address_location":null, "address_city":null, "country_region":null, "zip_code":null,
      "country_name":null, "size":null, "vat_number":null, "founding_date":null, "industry":null, "sic":null,
      "microblog":null, "pronet":null, "socialnet":null
    }') AS VARCHAR), '{}')
  END;

-- Returns the hash of a company record, from its texts and its lists of texts. The hash does not depend on the order of
-- arrays and keys, or on whether an id is a number or text.
CREATE OR REPLACE TEMP MACRO company_hash(texts, lists, codes) AS
  sha256(CAST(to_json({
    'a': texts,
    'b': list_transform(lists, lambda l: list_sort(coalesce(l, []))),
    'c': codes
  }) AS VARCHAR));

-- As company_hash, for records of version 1, which have no classifications.
CREATE OR REPLACE TEMP MACRO company_hash_v1(texts, lists) AS
  sha256(CAST(to_json({'a': texts, 'b': list_transform(lists, lambda l: list_sort(coalesce(l, [])))}) AS VARCHAR));

-- As company_extra, for records of version 1.
CREATE OR REPLACE TEMP MACRO company_extra_v1(doc) AS
  CASE WHEN NOT json_keys(doc) <@ [
    'id', 'name', 'company_phone', 'company_email', 'company_fax', 'company_website', 'company_legal_form', 'brands',
    'address_street', 'address_location', 'country_region', 'zip_code', 'country_name', 'country_short_name', 'size',
    'registration_number', 'vat_number', 'founding_date'
  ] THEN
    CAST(nullif(CAST(json_merge_patch(doc, '{
      "id":null, "name":null, "company_phone":null, "company_email":null, "company_fax":null, "company_website":null,
      "company_legal_form":null, "brands":null, "address_street":null, "address_location":null, "country_region":null,
      "zip_code":null, "country_name":null, "country_short_name":null, "size":null, "registration_number":null,
      "vat_number":null, "founding_date":null
    }') AS VARCHAR), '{}') AS JSON)
  END;
