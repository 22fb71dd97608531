expect.extend({
  toBeSlug(received) {
    const pass = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(received);
    return { pass, message: () => `${received} is not a slug` };
  },
});
