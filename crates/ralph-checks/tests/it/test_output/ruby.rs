//! Ruby's minitest.

use ralph_core::format::OutputFormat;

use super::{check, check_bytes};

#[test]
fn minitest_names_every_test_when_verbose() {
    check(
        OutputFormat::Text,
        "text/minitest-verbose.txt",
        "
        failed Price::discount#test_0001_takes half off @test/price_test.rb:31: Expected: 50 |   Actual: 0
        passed Price::discount#test_0002_is free = really
        skipped PriceTest#test_groups_thousands
        failed PriceTest#test_half_off @test/price_test.rb:12: Expected: 50 |   Actual: 0
        failed PriceTest#test_has_a_currency @test/price_test.rb:16: NoMethodError: undefined method `currency' for #<Price:0x00007fa91ea27500 @cents=1> |  |     assert_equal 'EUR', Price.new(1).currency |                                     ^^^^^^^^^
        passed PriceTest#test_prices_are_added_up
        passed PriceTest#test_prints
        warning @lib/price.rb:20: ruby - lib/price.rb: found `= literal' in conditional, should be ==
        3 passed, 3 failed, 1 skipped
    ",
    );
}

#[test]
fn minitest_names_failures_and_counts_the_others() {
    check(
        OutputFormat::Text,
        "text/minitest.txt",
        "
        failed Price::discount#test_0001_takes half off @test/price_test.rb:31: Expected: 50 |   Actual: 0
        failed PriceTest#test_half_off @test/price_test.rb:12: Expected: 50 |   Actual: 0
        failed PriceTest#test_has_a_currency @test/price_test.rb:16: NoMethodError: undefined method `currency' for #<Price:0x00007fee3e57f1a0 @cents=1> |  |     assert_equal 'EUR', Price.new(1).currency |                                     ^^^^^^^^^
        warning @lib/price.rb:20: ruby - lib/price.rb: found `= literal' in conditional, should be ==
        3 passed, 3 failed, 1 skipped
    ",
    );
}

#[test]
fn rails_shows_failures_between_the_tests() {
    check_bytes(
        OutputFormat::Text,
        b"# Running:\n\n.F\n\nFailure:\nUserTest#test_the_truth [test/models/user_test.rb:5]:\n\
          Expected false to be truthy.\n\n\nbin/rails test test/models/user_test.rb:4\n\n.\n\n\
          Finished in 0.1s, 20.0 runs/s.\n3 runs, 3 assertions, 1 failures, 0 errors, 0 skips\n",
        "
        failed UserTest#test_the_truth @test/models/user_test.rb:5: Expected false to be truthy.
        2 passed, 1 failed, 0 skipped
    ",
    );
}

#[test]
fn what_only_resembles_minitest_is_passed_over() {
    check_bytes(
        OutputFormat::Text,
        b"Error:\nsomething else\nissue#test_1 = 0.00 s = .\n3 runs, 1 failure\n",
        "no tests",
    );
}

#[test]
fn examples_of_specs_have_the_names_that_minitest_gives_them() {
    check_bytes(
        OutputFormat::Text,
        "  1) Failure:\nspec style: 한국어#test_0002_is not [test/till.rb:10]:\nExpected: 2\n  Actual: 1\n\n\
         2 runs, 2 assertions, 1 failures, 0 errors, 0 skips\n"
            .as_bytes(),
        "
        failed spec style: 한국어#test_0002_is not @test/till.rb:10: Expected: 2 |   Actual: 1
        1 passed, 1 failed, 0 skipped
    ",
    );
}
