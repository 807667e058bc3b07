// The searchable list.
import { beforeAll, expect, jest, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { matching, Picker } from './picker.tsx';

const choices = ['message', 'collect', 'webhook'].map((key) => ({ key, label: key, detail: `It is ${key}` }));

beforeAll(() => {
  // jsdom has the element but not its methods.
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
});

test('matches every word, and sorts prefix matches first', () => {
  expect(matching(choices, 'IT coll').map(({ key }) => key)).toEqual(['collect']);
  expect(matching(choices, 'w')[0]?.key).toBe('webhook');
});

test('works by keyboard', async () => {
  const onPick = jest.fn();
  render(<Picker title="Add a node" choices={choices} onPick={onPick} onClose={() => {}} />);
  await userEvent.type(
    screen.getByRole('combobox', { name: 'Add a node' }),
    '{ArrowDown}{ArrowDown}{ArrowUp}{Enter}',
  );
  expect(onPick).toHaveBeenCalledWith('collect');
});
