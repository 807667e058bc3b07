// The palette is one tab stop, and arrow keys move between its kinds.
import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Palette } from './palette.tsx';

test('arrow keys move between the kinds of nodes, and Tab leaves them', async () => {
  render(
    <>
      <Palette />
      <button type="button">After</button>
    </>,
  );
  const user = userEvent.setup();
  await user.tab();
  expect(screen.getByRole('button', { name: 'Add message' })).toHaveFocus();
  await user.keyboard('{ArrowDown}');
  expect(screen.getByRole('button', { name: 'Add question' })).toHaveFocus();
  await user.tab();
  expect(screen.getByRole('button', { name: 'After' })).toHaveFocus();
});
