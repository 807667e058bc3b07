import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { SearchMatches } from './found.tsx';

test('marks the matches in the text', () => {
  render(
    <SearchMatches
      found={[
        {
          index: 2,
          role: 'user',
          text: 'Where is my order? My order!',
          marks: [
            [12, 17],
            [22, 27],
          ],
        },
        { index: 3, role: 'bot', text: '…👋 order', marks: [[4, 9]] },
      ]}
    />,
  );
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Caller: Where is my order? My order!',
    'Bot: …👋 order',
  ]);
  expect(screen.getAllByText('order', { selector: 'mark' })).toHaveLength(3);
});
