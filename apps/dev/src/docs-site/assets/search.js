// Finds sections whose title or text has every typed word; titles first.
const FOUND_MAX = 20;
const input = document.querySelector('#search');
const list = document.querySelector('#found');
const top = document.body.dataset.top;
let sections;

async function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.hidden = words.length === 0;
  if (list.hidden) return;
  sections ??= await fetch(`${top}assets/search.json`).then((response) => response.json());
  const has = (text) => words.every((word) => text.toLowerCase().includes(word));
  const inTitle = sections.filter(({ page, title }) => has(`${page} ${title}`));
  const inText = sections.filter(
    (one) => !inTitle.includes(one) && has(`${one.page} ${one.title} ${one.text}`),
  );
  list.replaceChildren(...[...inTitle, ...inText].slice(0, FOUND_MAX).map(toItem));
}

function toItem({ page, title, address }) {
  const link = document.createElement('a');
  link.href = top + address;
  link.textContent = page === title ? title : `${page}: ${title}`;
  const item = document.createElement('li');
  item.append(link);
  return item;
}

input.addEventListener('input', () => void show());
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape') {
    input.value = '';
    list.hidden = true;
  }
});
