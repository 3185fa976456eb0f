/** What is measured inside of the page. These functions are sent to the browser, so each stands by itself. */

/** Goes to an address as a link does, and gives the milliseconds until the first row of the waterfall is painted. */
export async function openAndPaint(address: string): Promise<number> {
  const painted = (): Promise<void> =>
    new Promise((resolve) => {
      requestAnimationFrame(() => void requestAnimationFrame(() => resolve()));
    });
  const appears = (selector: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (document.querySelector(selector) === null) return;
        observer.disconnect();
        resolve();
      };
      const observer = new MutationObserver(look);
      observer.observe(document.body, { childList: true, subtree: true });
      look();
    });
  const go = (to: string): void => {
    window.history.pushState(null, '', to);
    window.dispatchEvent(new PopStateEvent('popstate'));
  };
  go('/system');
  await appears('.system-part');
  await painted();
  const started = performance.now();
  go(address);
  await appears('.wf-row.grid-row');
  await painted();
  return performance.now() - started;
}

/** Scrolls the waterfall for some seconds as a hand does, a few rows a frame, and gives the length of every frame. */
export function scrollFrames(seconds: number): Promise<readonly number[]> {
  const box = document.querySelector('.wf-grid');
  if (box === null) throw new Error('There is no waterfall.');
  const frames: number[] = [];
  const started = performance.now();
  let last = started;
  return new Promise((resolve) => {
    const step = (now: number): void => {
      frames.push(now - last);
      last = now;
      box.scrollTop += 120;
      if (now - started < seconds * 1_000) requestAnimationFrame(step);
      else resolve(frames.slice(2));
    };
    requestAnimationFrame(step);
  });
}

/** Notes for every letter in the filter how long it takes until what it finds is painted. */
export function watchFilter(): void {
  const times: number[] = [];
  Object.assign(window, { filterTimes: times });
  let started = 0;
  document.getElementById('filter')?.addEventListener('input', () => {
    started = performance.now();
  });
  const count = document.querySelector('.toolbar-count');
  if (count === null) throw new Error('There is no count.');
  new MutationObserver(() => {
    const from = started;
    requestAnimationFrame(() => void requestAnimationFrame(() => times.push(performance.now() - from)));
  }).observe(count, { childList: true, characterData: true, subtree: true });
}

export function filterTimes(): readonly number[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `watchFilter` has put them there.
  return (window as unknown as { readonly filterTimes: readonly number[] }).filterTimes;
}

/** Presses what opens a large value, and gives the milliseconds to its first rows and the longest task until it is read whole. */
export async function openBody(): Promise<{ readonly firstRowsMs: number; readonly longestTaskMs: number }> {
  let longestTaskMs = 0;
  const tasks = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, entry.duration);
  });
  tasks.observe({ entryTypes: ['longtask'] });
  const chip = document.querySelector<HTMLElement>('.span-body .json-chip');
  if (chip === null) throw new Error('There is no large value.');
  const started = performance.now();
  chip.click();
  const rows = (): number => document.querySelectorAll('.dialog-body .json-row').length;
  const later = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  while (rows() < 10) await later(4);
  const firstRowsMs = performance.now() - started;
  while (!/ values?, /.test(document.querySelector('.dialog-body .json-tools')?.textContent ?? '')) {
    await later(50);
  }
  tasks.disconnect();
  return { firstRowsMs, longestTaskMs };
}

/** Notes the length of every frame from now on. */
export function watchFrames(): void {
  const frames: number[] = [];
  Object.assign(window, { frames });
  let last = performance.now();
  const step = (now: number): void => {
    frames.push(now - last);
    last = now;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

export function noticedFrames(): readonly number[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `watchFrames` has put them there.
  return (window as unknown as { readonly frames: readonly number[] }).frames;
}

/** Resolves when the page knows an entry, with how long that took. */
export async function lagTo(seq: number): Promise<number> {
  const started = performance.now();
  while (Number(document.querySelector<HTMLElement>('.waterfall')?.dataset['seq'] ?? 0) < seq) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  return performance.now() - started;
}

/** Scrolls the waterfall by so many frames, however long they take. */
export function scrollSteps(count: number): Promise<number> {
  const box = document.querySelector('.wf-grid');
  if (box === null) throw new Error('There is no waterfall.');
  box.scrollTop = 0;
  let left = count;
  return new Promise((resolve) => {
    const step = (): void => {
      box.scrollTop += 120;
      left -= 1;
      if (left > 0) requestAnimationFrame(step);
      else resolve(count);
    };
    requestAnimationFrame(step);
  });
}

/** Resolves when the page shows a text. */
export function untilShown(text: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.body.textContent.includes(text)) resolve();
      else requestAnimationFrame(look);
    };
    look();
  });
}
