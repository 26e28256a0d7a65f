/** A person to enrich: a row of a list, with normalized values. Personal data: exists only with `personalData: contacts`. */
export interface PersonQuestion {
  email?: string;
  /** Address of a professional profile (`pronet`). */
  profile?: string;
  first_name?: string;
  last_name?: string;
  company_name?: string;
  /** Domain or website of the company. */
  domain?: string;
  /** Contact data to reveal: `email`, `phone` or `email,phone`. Part of the question, because the answers differ. */
  reveal?: string;
}

/** The lookup that found a person. */
export type PersonKind = 'email' | 'profile' | 'contacts' | 'search';
