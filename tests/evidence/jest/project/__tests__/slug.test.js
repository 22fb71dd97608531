const { slugify } = require('../src/slug');

describe('slugify', () => {
  test.each([
    ['Second post', 'second-post'],
    ['Hello, world!', 'hello-world'],
    ['  C++ & Rust ', 'c-rust'],
  ])('makes %j an address', (title, slug) => {
    expect(slugify(title)).toBe(slug);
  });

  test('always returns a slug', () => {
    expect(slugify('What?!')).toBeSlug();
    expect(slugify('What?!')).toHaveLength(4);
  });
});
