import { spawnSync } from 'node:child_process';

/** Command prefix that runs a command as process 1 of a new process namespace, as a container does. */
export const IN_PID_NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;

/** Whether this machine can create process namespaces (Linux, as root). */
export function canMakePidNamespaces(): boolean {
  const [command, ...args] = IN_PID_NAMESPACE;
  return spawnSync(command, [...args, 'true']).status === 0;
}
