const { slugify } = require('./slug');

/** Newest first, without drafts. */
function published(posts) {
  return posts
    .filter((post) => !post.draft)
    .sort((a, b) => b.date.localeCompare(a.date));
}

function renderFeed(posts) {
  return published(posts).map((post) => ({
    title: post.title,
    link: `/posts/${slugify(post.title)}`,
  }));
}

async function publish(post, api) {
  if (!post.title) throw new Error('a post needs a title');
  const reply = await api.put(slugify(post.title), post);
  return reply.status === 201;
}

module.exports = { published, renderFeed, publish };
