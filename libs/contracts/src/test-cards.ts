/** Begins the id of a test card that every charge is refused to, so that payments can be seen to fail. */
export const DECLINED_TEST_CARD = 'test-card-declined';
