const posts = require('./fixtures/posts.json');

/** A copy, so that no test disturbs another. */
exports.samplePosts = () => posts.map((post) => ({ ...post }));
