/**
 * Attempts that a shell can make, each a line or two. One that succeeds has broken out.
 *
 * E3 An attempt whose tools are not there proves nothing and counts as void.
 */
import { existsSync } from 'node:fs';
import type { SandboxProperty } from '../../call/isolation.ts';
import type { HostWorld } from './host-world.ts';
import { shellQuoted } from '../../util/shell-quoted.ts';

/** Whoever reaches one of these can start containers, and so is root. */
const engineSockets = ['/run/docker.sock', '/run/containerd/containerd.sock', '/run/podman/podman.sock'];

export interface ShellProbe {
  readonly probe: string;
  readonly property: SandboxProperty;
  readonly tools: readonly string[];
  /** Exits with 0 when it got through. Empty where the host has nothing to try it on. */
  readonly script: string;
}

/** @param foreign `NAME=value` of a variable of the host that the job was not given; empty when there is none */
export function shellProbes(world: HostWorld, foreign: string): readonly ShellProbe[] {
  return [
    ...fileProbes(world),
    ...environmentProbes(foreign),
    ...networkProbes(world),
    ...processProbes(world),
    ...kernelProbes(world),
  ];
}

function fileProbes({ word, secretFile, openFile }: HostWorld): readonly ShellProbe[] {
  const file = (probe: string, tools: readonly string[], script: string): ShellProbe => ({
    probe,
    property: 'files',
    tools,
    script,
  });
  return [
    file('read a file of the host', ['grep'], `grep -q ${word} ${shellQuoted(secretFile)}`),
    file('open a file of the host for writing', [], `: >> ${shellQuoted(openFile)}`),
    file('follow a link out', ['grep', 'ln'], `ln -sf ${shellQuoted(secretFile)} link-out; grep -q ${word} link-out`),
    file(
      'reach the root of another process',
      ['grep'],
      `for root in /proc/[0-9]*/root; do grep -q ${word} "$root"${shellQuoted(secretFile)} && exit 0; done; exit 1`,
    ),
    file('climb out of the folder', ['grep'], `grep -q ${word} ../../../../../../../..${shellQuoted(secretFile)}`),
  ];
}

function environmentProbes(foreign: string): readonly ShellProbe[] {
  const given = (script: string): string => (foreign === '' ? '' : script);
  const pair = shellQuoted(foreign);
  return [
    {
      probe: 'inherit a variable',
      property: 'environment',
      tools: ['env', 'grep'],
      script: given(`env | grep -qxF ${pair}`),
    },
    {
      probe: 'read the environment of another process',
      property: 'environment',
      tools: ['grep'],
      script: given(`grep -qF ${pair} /proc/[0-9]*/environ`),
    },
  ];
}

function networkProbes({ tcpPort, socketPath, networkNamespace }: HostWorld): readonly ShellProbe[] {
  const network = (probe: string, tools: readonly string[], script: string): ShellProbe => ({
    probe,
    property: 'network',
    tools,
    script,
  });
  return [
    network('share the network of the host', ['readlink'], sameNamespace('net', networkNamespace)),
    network(
      'have an interface',
      ['grep'],
      'test -r /proc/net/dev && grep -v "^ *lo:" /proc/net/dev | grep -q "^ *[a-z0-9]*:"',
    ),
    network('connect over TCP with bash', ['bash'], `bash -c ': < /dev/tcp/127.0.0.1/${tcpPort}'`),
    network('connect over TCP with nc', ['nc'], `nc -w 2 127.0.0.1 ${tcpPort} < /dev/null`),
    network('find a socket of the host', [], `test -S ${shellQuoted(socketPath)}`),
    ...engineSockets.map((path) => network(`find ${path}`, [], existsSync(path) ? `test -S ${path}` : '')),
  ];
}

function processProbes({ pid, processNamespace }: HostWorld): readonly ShellProbe[] {
  return [
    {
      probe: 'see the processes of the host',
      property: 'processes',
      tools: ['readlink'],
      script: sameNamespace('pid', processNamespace),
    },
    { probe: 'signal a process of the host', property: 'processes', tools: [], script: `kill -0 ${pid}` },
  ];
}

function kernelProbes({ disk }: HostWorld): readonly ShellProbe[] {
  const kernel = (probe: string, tools: readonly string[], script: string): ShellProbe => ({
    probe,
    property: 'kernel',
    tools,
    script,
  });
  // What this machine does not have proves nothing when it is not found inside.
  const onHost = (path: string, script: string): string => (existsSync(path) ? script : '');
  const opens = (path: string): string => onHost(path, `test -e ${path} && : >> ${path}`);
  return [
    kernel('open core_pattern for writing', [], opens('/proc/sys/kernel/core_pattern')),
    kernel('open ip_forward for writing', [], opens('/proc/sys/net/ipv4/ip_forward')),
    kernel('open sysrq-trigger for writing', [], opens('/proc/sysrq-trigger')),
    kernel('open uevent_helper for writing', [], opens('/sys/kernel/uevent_helper')),
    kernel(
      'open a control group for writing',
      [],
      'for file in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do test -e "$file" && ( : >> "$file" ) && exit 0; done; exit 1',
    ),
    kernel(
      'read the memory of the kernel',
      ['head', 'wc'],
      onHost('/proc/kcore', 'test "$(head -c 1 /proc/kcore | wc -c)" -eq 1'),
    ),
    kernel('read the log of the kernel', [], onHost('/dev/kmsg', ': < /dev/kmsg')),
    kernel(
      'open a disk',
      [],
      disk === undefined ? '' : onHost(`/dev/${disk.name}`, `: < ${shellQuoted(`/dev/${disk.name}`)}`),
    ),
    kernel(
      'make a device',
      ['mknod', 'head'],
      disk === undefined ? '' : `mknod device-out b ${disk.major} ${disk.minor} && head -c 1 device-out > /dev/null`,
    ),
    kernel('make a user namespace', ['unshare'], 'unshare -U true'),
    kernel(
      'make a mount namespace and mount in it',
      ['unshare', 'mount'],
      "mkdir -p mount-out && unshare -m sh -c 'mount -t tmpfs none mount-out'",
    ),
    kernel(
      'hold a capability',
      ['grep'],
      "test -r /proc/self/status && grep -q '^CapEff:.*[1-9a-f]' /proc/self/status",
    ),
    kernel(
      'gain privileges by a program',
      ['grep'],
      "test -r /proc/self/status && grep -q '^NoNewPrivs:.*0' /proc/self/status",
    ),
    kernel('make every system call', ['grep'], "test -r /proc/self/status && grep -q '^Seccomp:.*0' /proc/self/status"),
  ];
}

function sameNamespace(name: string, ofHost: string): string {
  return ofHost === '' ? '' : `test "$(readlink /proc/self/ns/${name})" = ${shellQuoted(ofHost)}`;
}

/** One script that makes all attempts and writes a line about each: its number and `open`, `contained` or `void`. */
export function shellScript(probes: readonly ShellProbe[]): string {
  return probes
    .map(({ tools, script }, index) => {
      if (script === '') return `echo "${index} void"`;
      const missing = tools.map((tool) => `! command -v ${tool} > /dev/null 2>&1`).join(' || ');
      const attempt = `if ( ${script} ) > /dev/null 2>&1 < /dev/null; then echo "${index} open"; else echo "${index} contained"; fi`;
      return missing === '' ? attempt : `if ${missing}; then echo "${index} void"; else ${attempt}; fi`;
    })
    .join('\n');
}
