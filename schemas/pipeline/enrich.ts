/**
 * A person to enrich: one row of a list, with normalized values. This is personal data and exists only with
 * `personalData: contacts`.
 */
export interface PersonQuestion {
  email?: string;
  /** Address of the person's profile on a professional network (`pronet`). */
  profile?: string;
  first_name?: string;
  last_name?: string;
  company_name?: string;
  /** Domain or website of the company. */
  domain?: string;
  /**
   * Contact data to reveal: `email`, `phone` or `email,phone`. It belongs to the question, because it changes the
   * answer.
   */
  reveal?: string;
}
