// Strings (after E with backslashes), quoted names, comments, and the semicolons between statements. One that is not
// closed extends to the end.
const TOKEN =
  /\b[eE]'(?:[^'\\]|\\.|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$\$.*?(?:\$\$|$)|(--[^\n]*|\/\*.*?(?:\*\/|$))|(;)/gs;

/** Splits SQL into statements, and removes comments. Leaves out empty statements. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let statement = '';
  let end = 0;
  for (const token of sql.matchAll(TOKEN)) {
    statement += sql.slice(end, token.index);
    end = token.index + token[0].length;
    if (token[2] !== undefined) {
      statements.push(statement);
      statement = '';
    } else statement += token[1] === undefined ? token[0] : ' ';
  }
  return [...statements, statement + sql.slice(end)].map((one) => one.trim()).filter((one) => one !== '');
}
