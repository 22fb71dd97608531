module.exports = {
  testMatch: ['**/__tests__/**/*.test.js'],
  setupFilesAfterEnv: ['./test/setup.js'],
};
