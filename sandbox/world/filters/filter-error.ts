/**
 * Thrown for a filter value that cannot be applied. The API then answers InvalidRequest and names the filter as the
 * invalid field.
 */
export class FilterError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'FilterError';
    this.field = field;
  }
}
