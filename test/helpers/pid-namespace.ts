import { spawnSync } from 'node:child_process';

/** Command that runs another one as process 1 of its own process namespace, as a container does. */
export const IN_PID_NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;

/** Whether this machine lets us make process namespaces (Linux, as root). */
export function canMakePidNamespaces(): boolean {
  const [command, ...args] = IN_PID_NAMESPACE;
  return spawnSync(command, [...args, 'true']).status === 0;
}
