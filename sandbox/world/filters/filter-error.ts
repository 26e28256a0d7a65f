/** A filter value that cannot be applied: becomes InvalidRequest, with the filter's key as the field. */
export class FilterError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'FilterError';
    this.field = field;
  }
}
