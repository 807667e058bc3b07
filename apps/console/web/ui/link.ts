// The look of links that are what a row or a fact is about.
export const rowLink = 'font-medium text-accent underline-offset-2 hover:underline';
