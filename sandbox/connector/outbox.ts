import { escapeHtml, page } from './screens.js';

/** A mail that a real server would send by e-mail. */
export interface Mail {
  at: string;
  to: string;
  subject: string;
  text: string;
}

/**
 * Mails of the sandbox. They appear on the outbox page and on stderr; none leaves the machine. Keeps the latest 200.
 */
export class Outbox {
  readonly #mails: Mail[] = [];

  send(to: string, subject: string, text: string): void {
    this.#mails.push({ at: new Date().toISOString(), to, subject, text });
    if (this.#mails.length > 200) this.#mails.shift();
    process.stderr.write(`sandbox: mail to ${JSON.stringify(to)}: ${text}\n`);
  }

  /** Returns the mails, newest first. */
  list(): Mail[] {
    return this.#mails.toReversed();
  }

  /** Returns the outbox as an HTML page. */
  screen(): string {
    const items = this.list().map(
      ({ at, to, subject, text }) =>
        `<article><h2>${escapeHtml(subject)}</h2><p>${escapeHtml(text)}</p>` +
        `<p class="note">To ${escapeHtml(to)}, ${at.slice(0, 19).replace('T', ' ')} UTC</p></article>`,
    );
    return page('Outbox', items.length === 0 ? '<p>No mail yet.</p>' : items.join(''));
  }
}
