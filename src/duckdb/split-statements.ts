// Strings (after E with backslashes), quoted names, comments, and the semicolons between statements. One that is not
// closed extends to the end.
const TOKEN =
  /\b[eE]'(?:[^'\\]|\\.|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$\$.*?(?:\$\$|$)|(--[^\n]*|\/\*.*?(?:\*\/|$))|(;)/gs;

/** Splits SQL into statements, and removes comments. Leaves out empty statements. */
export function splitStatements(sql: string): string[] {
  const { statements, rest } = splitOpen(sql);
  return [...statements, rest].filter((one) => one !== '');
}

/**
 * Like `splitStatements`, but returns the text after the last semicolon as `rest`: a statement that a person may still be
 * typing.
 */
export function splitOpen(sql: string): { statements: string[]; rest: string } {
  const statements: string[] = [];
  let statement = '';
  let end = 0;
  for (const token of sql.matchAll(TOKEN)) {
    statement += sql.slice(end, token.index);
    end = token.index + token[0].length;
    if (token[2] !== undefined) {
      statements.push(statement.trim());
      statement = '';
    } else statement += token[1] === undefined ? token[0] : ' ';
  }
  return { statements: statements.filter((one) => one !== ''), rest: (statement + sql.slice(end)).trim() };
}
