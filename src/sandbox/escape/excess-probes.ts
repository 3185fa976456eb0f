/** Attempts to take too much: memory, processes, files, and, when there is time, output and time itself. */
import { defaultLimits } from '../../contract/declare/program.ts';
import type { ProbeResult, SandboxResult } from '../../execute/sandbox/sandbox-driver.ts';
import type { RunProbe } from './verdict.ts';

const mebibyte = 1024 * 1024;

export async function excessProbes(run: RunProbe, thorough: boolean): Promise<readonly ProbeResult[]> {
  const quick = [memoryByPipe(run), memoryByMany(run), manyProcesses(run), muchDisk(run)];
  return Promise.all(thorough ? [...quick, memoryByNode(run), muchOutput(run), muchTime(run)] : quick);
}

/** `tail` keeps a line until it has seen its end, and this line has none. */
async function memoryByPipe(run: RunProbe): Promise<ProbeResult> {
  const askedBytes = 96 * mebibyte;
  const tools = 'for tool in head tail wc; do command -v $tool > /dev/null || { echo void; exit; }; done';
  const result = await run(['sh', '-c', `${tools}; echo taken $(head -c ${askedBytes} /dev/zero | tail | wc -c)`], {
    limits: { ...defaultLimits, memoryBytes: 32 * mebibyte },
  });
  const taken = Number(/taken (\d+)/.exec(result.stdout)?.[1] ?? 0);
  return judged({ probe: 'take memory through a pipe', property: 'memory' }, result, taken >= askedBytes);
}

/** Each takes half of the limit, and all of them hold it until the last one has it, and a while longer. */
async function memoryByMany(run: RunProbe): Promise<ProbeResult> {
  const [count, eachBytes] = [8, 16 * mebibyte];
  const hold = `echo > held.$n; until [ "$(ls held.* | wc -l)" -ge ${count} ]; do sleep 0.05; done; sleep 0.4`;
  const script = `
    for tool in head tail wc ls sleep; do command -v $tool > /dev/null || { echo void; exit; }; done
    n=0; while [ $n -lt ${count} ]; do n=$((n + 1)); { head -c ${eachBytes} /dev/zero; ${hold}; } | tail | wc -c & done; wait`;
  const result = await run(['sh', '-c', script], { limits: { ...defaultLimits, memoryBytes: 32 * mebibyte } });
  const held = result.stdout.split('\n').filter((line) => Number(line) === eachBytes).length;
  return judged({ probe: 'take memory in many processes', property: 'memory' }, result, held === count);
}

/** Memory that is not on V8's heap, which has a limit of its own. */
async function memoryByNode(run: RunProbe): Promise<ProbeResult> {
  const program =
    "const all = []; for (let i = 0; i < 90; i += 1) all.push(Buffer.alloc(16 * 1024 * 1024, 1)); console.log('through');";
  const result = await run(['node', '-e', program], { limits: { ...defaultLimits, memoryBytes: 768 * mebibyte } });
  const isMissing = result.end.kind === 'exit' && result.end.code === 127;
  const verdict = result.stdout.includes('through') ? 'open' : 'contained';
  return { probe: 'node: take memory in buffers', property: 'memory', verdict: isMissing ? 'void' : verdict };
}

async function manyProcesses(run: RunProbe): Promise<ProbeResult> {
  const script = 'n=0; while [ $n -lt 80 ]; do sleep 3 & n=$((n + 1)); done; echo through';
  const result = await run(['sh', '-c', script], { limits: { ...defaultLimits, maxProcesses: 24 } });
  return judged({ probe: 'start 80 processes', property: 'processes' }, result, result.stdout.includes('through'));
}

/** Several files, since a limit on the size of one would be none. */
async function muchDisk(run: RunProbe): Promise<ProbeResult> {
  const script = `
    command -v head > /dev/null || { echo void; exit; }
    for folder in . /tmp /dev/shm /dev /var/tmp; do
      full=yes
      for n in 1 2 3 4 5 6; do head -c ${mebibyte} /dev/zero > $folder/axle-excess-$$-$n 2> /dev/null || { full=no; break; }; done
      rm -f $folder/axle-excess-$$-*
      [ $full = yes ] && echo through
    done; true`;
  const result = await run(['sh', '-c', script], { limits: { ...defaultLimits, diskBytes: 2 * mebibyte } });
  return judged(
    { probe: 'write 6 MB where 2 are allowed', property: 'disk' },
    result,
    result.stdout.includes('through'),
  );
}

async function muchOutput(run: RunProbe): Promise<ProbeResult> {
  const outputBytes = 100_000;
  const result = await run(['cat', '/dev/zero'], { limits: { ...defaultLimits, outputBytes } });
  const isHeld = result.end.kind === 'output-limit' && result.stdout.length <= outputBytes;
  return { probe: 'write without end', property: 'output', verdict: isHeld ? 'contained' : 'open' };
}

async function muchTime(run: RunProbe): Promise<ProbeResult> {
  const result = await run(['sh', '-c', "trap '' TERM INT HUP; while :; do :; done"], { wallMs: 500 });
  const isHeld = result.end.kind === 'timeout' && result.usage.wallMs < 5_000;
  return { probe: 'run without end, deaf to signals', property: 'time', verdict: isHeld ? 'contained' : 'open' };
}

function judged(
  about: Pick<ProbeResult, 'probe' | 'property'>,
  { end, stdout }: SandboxResult,
  isThrough: boolean,
): ProbeResult {
  if (isThrough) return { ...about, verdict: 'open' };
  return { ...about, verdict: end.kind === 'not-started' || stdout.includes('void') ? 'void' : 'contained' };
}
