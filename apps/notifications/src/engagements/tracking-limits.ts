// The limits of what readers call: outside the plan, the same for every organisation, so that no mail uses up what its programs may ask for.
// Opens apart from clicks: mail programs fetch pictures by the thousand, and a link that is not led on stands before a person.

/** The limit classes of the endpoints. */
export const OPENS = 'opens';
export const CLICKS = 'clicks';
const REQUESTS = 500;
const WINDOW_MS = 1_000;

export const TRACKING_LIMITS = {
  [OPENS]: { requests: REQUESTS, windowMs: WINDOW_MS },
  [CLICKS]: { requests: REQUESTS, windowMs: WINDOW_MS },
};
