// Chooses the category of a notification. Hidden when the organisation has none.
import { useQuery } from '@tanstack/react-query';
import { Select } from '../../ui/field.tsx';
import { categoriesQuery } from '../api.ts';

export function CategoryField({ value, onChange }: { value: string; onChange: (category: string) => void }) {
  const categories = useQuery(categoriesQuery).data?.items ?? [];
  if (categories.length === 0 && value === '') return null;
  return (
    <Select
      label="Category"
      hint="Recipients who switched the category off do not receive it"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">none</option>
      {categories.map(({ id, name, required }) => (
        <option key={id} value={id}>
          {name}
          {required && ' (required)'}
        </option>
      ))}
    </Select>
  );
}
