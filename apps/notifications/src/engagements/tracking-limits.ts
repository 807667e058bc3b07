// Rate limits of the tracking endpoints. They are outside the plan and equal for every
// organisation, so mails cannot use up the API's limit. Opens and clicks are separate: mail
// programs fetch pictures by the thousand, and a person waits for a link.

/** Limit classes of the endpoints. */
export const OPENS = 'opens';
export const CLICKS = 'clicks';
const REQUESTS = 500;
const WINDOW_MS = 1_000;

export const TRACKING_LIMITS = {
  [OPENS]: { requests: REQUESTS, windowMs: WINDOW_MS },
  [CLICKS]: { requests: REQUESTS, windowMs: WINDOW_MS },
};
