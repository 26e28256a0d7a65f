/** Formats in which the shell prints rows. */
export const FORMATS = ['table', 'csv', 'json', 'markdown'] as const;

/** Commands of the shell, with what they do. */
export const COMMANDS: Readonly<Record<string, string>> = {
  '\\d': 'list the tables; with a table, its columns with their comments',
  '\\format': `print rows as ${FORMATS.join(', ')}`,
  '\\out': 'write the rows of the next query to a file',
  '\\?': 'show this help',
  '\\q': 'quit; so does Ctrl-D',
};
