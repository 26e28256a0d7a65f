-- Macros that convert HTML to plain text. They remove scripts, styles and tags, and decode entities once. The end of a
-- block and the start of a list item become line breaks.

CREATE OR REPLACE TEMP MACRO html_code_point(n) AS
  CASE WHEN n BETWEEN 1 AND 55295 OR n BETWEEN 57344 AND 1114111 THEN chr(CAST(n AS INTEGER)) ELSE '' END;

-- Decodes numeric entities, decimal and hexadecimal.
CREATE OR REPLACE TEMP MACRO html_numeric_entities(t) AS
  list_reduce(
    list_distinct(regexp_extract_all(t, '&#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6});')),
    lambda acc, e: replace(acc, e, html_code_point(
      CASE WHEN lower(e[3]) = 'x' THEN TRY_CAST('0x' || e[4:-2] AS BIGINT) ELSE TRY_CAST(e[3:-2] AS BIGINT) END
    )),
    t
  );

-- Decodes named entities. In the list below, each item is an entity followed by its character. `&amp;` is decoded last,
-- so that `&amp;lt;` becomes `&lt;` and not `<`.
CREATE OR REPLACE TEMP MACRO html_named_entities(t) AS
  list_reduce(
    [
      '&nbsp; ', '&lt;<', '&gt;>', '&quot;"', '&apos;''', '&ndash;–', '&mdash;—', '&hellip;…', '&bull;•', '&middot;·',
      '&lsquo;‘', '&rsquo;’', '&ldquo;“', '&rdquo;”', '&laquo;«', '&raquo;»', '&euro;€', '&pound;£', '&yen;¥', '&cent;¢',
      '&copy;©', '&reg;®', '&trade;™', '&deg;°', '&sect;§', '&para;¶', '&times;×', '&eacute;é', '&egrave;è', '&ecirc;ê',
      '&agrave;à', '&acirc;â', '&ccedil;ç', '&ouml;ö', '&uuml;ü', '&auml;ä', '&Ouml;Ö', '&Uuml;Ü', '&Auml;Ä', '&szlig;ß',
      '&aring;å', '&Aring;Å', '&aelig;æ', '&AElig;Æ', '&oslash;ø', '&Oslash;Ø', '&ntilde;ñ', '&oacute;ó', '&iacute;í',
      '&aacute;á', '&uacute;ú', '&amp;&'
    ],
    lambda acc, pair: replace(acc, pair[:-2], pair[-1]),
    t
  );

CREATE OR REPLACE TEMP MACRO html_without_tags(t) AS
  regexp_replace(
    regexp_replace(
      regexp_replace(
        regexp_replace(t, '(?is)<(script|style)\b.*?</(script|style)\s*>|<!--.*?-->', '', 'g'),
        '\s+', ' ', 'g'
      ),
      '(?i)<br\s*/?>|</(p|div|tr|h[1-6]|ul|ol|table)\s*>|<li\b[^>]*>', chr(10), 'g'
    ),
    '<[/!?a-zA-Z][^>]*>', '', 'g'
  );

CREATE OR REPLACE TEMP MACRO html_text(t) AS
  nullif(
    trim(
      regexp_replace(
        regexp_replace(html_named_entities(html_numeric_entities(html_without_tags(t))), '[ \t\x{A0}]*\n[ \t\x{A0}]*', chr(10), 'g'),
        '\n{2,}', chr(10), 'g'
      ),
      ' ' || chr(10)
    ),
    ''
  );
