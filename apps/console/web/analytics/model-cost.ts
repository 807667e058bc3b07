// The cost of model calls as text, in the currency of the organisation's prices.
const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const parts = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

/** Parts of a cent keep two digits, so that a few calls do not look free. */
export const formatCost = (cost: number): string =>
  cost === 0 || cost >= 0.01 ? cents.format(cost) : parts.format(cost);

/** "≥" where the cost of some calls is unknown; a dash where that of all is. */
export function formatModelCost({
  model_calls,
  model_cost,
  unpriced_model_calls,
}: {
  readonly model_calls: number;
  readonly model_cost: number;
  readonly unpriced_model_calls: number;
}): string {
  if (unpriced_model_calls === 0) return formatCost(model_cost);
  return unpriced_model_calls >= model_calls ? '–' : `≥ ${formatCost(model_cost)}`;
}
