import { bodyLines, type Message } from './message.js';
import { isTest } from './test-alert.js';

/** Shapes of the JSON body that a webhook gets. */
export type Template = 'json' | 'slack' | 'teams';

// Slack and Teams cannot recognise a repeated message, so the message itself says so.
const REPEAT = 'This message may have arrived before.';

/** Renders a message as the JSON body of a webhook. */
export function renderPayload(template: Template, message: Message): object {
  return TEMPLATES[template](message);
}

const TEMPLATES: Record<Template, (message: Message) => object> = {
  json: ({ alert, key, link }) => {
    const { id, cause, market, date, title, facts, todo, workflowId, run, at } = alert;
    return { test: isTest(alert), key, id, cause, market, date, title, facts, todo, workflowId, run, link, at };
  },

  slack: (message) => {
    const { alert, link, mayRepeat } = message;
    const lines = [...alert.facts.map(escapeSlack), `*What to do:* ${escapeSlack(alert.todo)}`];
    const foot = [link === null ? null : `<${link}|Run in Temporal>`, escapeSlack(alert.id), mayRepeat ? REPEAT : null];
    return {
      text: escapeSlack(alert.title),
      blocks: [
        // Slack refuses a header above 150 characters and a section above 3,000.
        { type: 'header', text: { type: 'plain_text', text: cut(alert.title, 150) } },
        { type: 'section', text: { type: 'mrkdwn', text: cut(lines.join('\n'), 3_000) } },
        {
          type: 'context',
          elements: [{ type: 'mrkdwn', text: cut(foot.filter((part) => part !== null).join(' · '), 2_000) }],
        },
      ],
    };
  },

  teams: (message) => {
    const { alert, link, mayRepeat } = message;
    const lines = [...bodyLines({ alert, link: null }), ...(mayRepeat ? [REPEAT] : []), alert.id];
    return {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'TextBlock', text: escapeMarkdown(alert.title), weight: 'bolder', size: 'medium', wrap: true },
              ...lines.map((line) => ({ type: 'TextBlock', text: escapeMarkdown(line), wrap: true })),
            ],
            ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Run in Temporal', url: link }] }),
          },
        },
      ],
    };
  },
};

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes what would become a link or emphasis in an adaptive card. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\*_[\]]/g, String.raw`\$&`);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
