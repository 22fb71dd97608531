const { published, publish, renderFeed } = require('../src/feed');
const { ageInDays } = require('../src/age');
const { samplePosts } = require('../test/posts');

test('drafts are not published', () => {
  expect(published(samplePosts())).toHaveLength(2);
});

test('the feed is as recorded', () => {
  expect(renderFeed(samplePosts())).toMatchSnapshot();
});

test('a post is published under its slug', async () => {
  const api = { put: jest.fn().mockResolvedValue({ status: 201 }) };
  await expect(publish({ title: 'Second post' }, api)).resolves.toBe(true);
  expect(api.put).toHaveBeenCalledWith('second-post', { title: 'Second post' });
});

test('a post without a title is refused', async () => {
  await expect(publish({}, {})).rejects.toThrow('needs a title');
});

test('age counts whole days', () => {
  const now = Date.parse('2026-01-08T18:00:00Z');
  expect(ageInDays('2026-01-05T00:00:00Z', now)).toBe(3);
  expect(ageInDays('2026-01-08T00:00:00Z', now)).toBe(0);
});
