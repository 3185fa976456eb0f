import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { subprocess } from '../../src/sandbox.ts';
import { openProbes, needed } from './available.ts';
import { commandDriverSuite } from './command-driver-suite.ts';

describe('the sandbox driver subprocess', () => {
  commandDriverSuite(subprocess);

  test('is listed as what it is: attempts get through, and nothing is claimed that was not contained', async ({
    skip,
  }) => {
    const driver = subprocess();
    const proof = await needed(driver, skip, { thorough: true });
    // Without these the attempts themselves would be in question: each must be able to succeed.
    const open = openProbes(proof);
    expect(open).toContain('files: read a file of the host');
    expect(open).toContain('files: open a file of the host for writing');
    expect(open).toContain('network: node: connect over TCP');
    expect(open).toContain('network: node: connect to a socket in the file system');
    expect(open).toContain('processes: signal a process of the host');
    if (process.platform === 'linux') {
      expect(open).toContain('environment: read the environment of another process');
      expect(open).toContain('treeKill: outlive a job that ends');
      expect(open).toContain('treeKill: outlive a job that is killed');
      expect(open).toContain('network: node: connect to a socket without a file');
      expect(open).toContain('network: node: send over UDP');
      expect(open).toContain('kernel: make every system call');
      expect(open).toContain('disk: write 6 MB where 2 are allowed');
    }
    for (const property of ['files', 'environment', 'network', 'processes', 'kernel', 'treeKill'] as const) {
      expect(proof.properties).not.toContain(property);
    }
    await driver.close();
  }, 60_000);
});
