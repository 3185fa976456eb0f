/** The views of a run. */
export const tabs = [
  { to: '/runs/$runId', title: 'Waterfall', action: 'tab-waterfall' },
  { to: '/runs/$runId/transcript', title: 'Transcript', action: 'tab-transcript' },
  { to: '/runs/$runId/context', title: 'Context', action: 'tab-context' },
  { to: '/runs/$runId/state', title: 'State', action: 'tab-state' },
  { to: '/runs/$runId/decisions', title: 'Decisions', action: 'tab-decisions' },
  { to: '/runs/$runId/logs', title: 'Logs', action: 'tab-logs' },
  { to: '/runs/$runId/raw', title: 'Raw', action: 'tab-raw' },
] as const;
