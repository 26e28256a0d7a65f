import { ApplicationFailure, setCurrentDetails, setWorkflowOptions } from '@temporalio/workflow';
import type { Alert, NotifyResult } from '../schemas/pipeline/alert.js';
import type { ErrorType } from '../schemas/pipeline/error-type.js';
import { isCancelled } from './cancellation.js';
import { delivery, quick } from './proxies.js';

// An alert may wait 7 days for a target, so it may outlive the workers of its version. It moves to the current version.
setWorkflowOptions({ versioningBehavior: 'AUTO_UPGRADE' }, notify);

/**
 * Delivers an alert to each target that takes its cause. The targets are independent: one that is down does not delay
 * the others.
 * @throws ApplicationFailure `AlertNotSent` when a target did not accept the alert within 7 days
 */
export async function notify(alert: Alert): Promise<NotifyResult> {
  const names = await quick.chooseTargets.executeWithOptions({ summary: 'choose targets' }, [{ alert }]);
  const shown = Object.fromEntries(names.map((name) => [name, 'is being sent']));
  const targets: NotifyResult['targets'] = {};
  const failed: string[] = [];
  show(alert, shown);
  await Promise.all(
    names.map(async (target) => {
      try {
        const { outcome } = await delivery.sendAlert.executeWithOptions({ summary: `send to ${target}` }, [
          { alert, target },
        ]);
        targets[target] = shown[target] = outcome;
      } catch (error) {
        if (isCancelled(error)) throw error;
        failed.push(target);
        shown[target] = 'not sent';
      }
      show(alert, shown);
    }),
  );
  if (failed.length === 0) return { targets };
  const type: ErrorType = 'AlertNotSent';
  throw ApplicationFailure.nonRetryable(
    `The alert was not sent to ${failed.join(', ')}. Check with \`tidemark notify list\`, and try \`tidemark notify test\`.`,
    type,
  );
}

function show({ title, facts, todo }: Alert, states: Record<string, string>): void {
  const rows = Object.entries(states).map(([target, state]) => `| ${target} | ${state} |`);
  const table = rows.length === 0 ? ['No target takes this alert.'] : ['| target | state |', '| --- | --- |', ...rows];
  setCurrentDetails([`**${title}**`, '', ...facts.flatMap((fact) => [fact, '']), todo, '', ...table].join('\n'));
}
