/*
 * Contacts of the stub's tenders. Every name begins with `Tajný`, every address with `tajny`: no byte of them may remain
 * where personal data is not kept. Some are in places that the reference does not show.
 */

/** Texts of a tender's contacts that must not remain where personal data is not kept. */
export function contactMarkers(slug: string): string[] {
  const key = keyOf(slug);
  return [
    `Tajný-${key}-a`,
    `tajny.${key}@lot.example`,
    `+45 888 ${key}`,
    `Tajný-${key}-b`,
    `Tajný-${key}-c`,
    `Tajný-${key}-d`,
  ];
}

/** Fields of the details. The kinds `name` and `fax` have other shapes than the reference shows. */
export function writeContacts(slug: string): Record<string, unknown> {
  const [name, email, phone, nested, person, note] = contactMarkers(slug);
  return {
    contacts: {
      email: [{ id: '5', name: email, type: 'office', assistant: { called: nested } }],
      mobile: [{ type: 'office', name: phone, id: 6 }, note],
      name: [{ name, id: null }],
      fax: note,
    },
    contact_person: person,
    signatories: [{ who: person }],
    lots: 3,
  };
}

function keyOf(slug: string): string {
  return slug.replaceAll(/\W+/g, '.');
}
