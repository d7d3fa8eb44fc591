//! Clocks: numbers of which each is one more than the highest that its writer saw.

/// The highest number that eight digits hold.
pub const LAST_CLOCK: u32 = 99_999_999;

/// The most by which a clock exceeds the next lower one. Writers go up by one, and branches that lack a part of the files leave
/// gaps; a longer jump was made by hand, and must not use up the numbers of everyone who comes after it.
const LONGEST_JUMP: u32 = 10_000;

/// Returns the highest of these clocks, in ascending order, before any jump; 0 if there is none.
pub fn highest_clock(clocks: impl IntoIterator<Item = u32>) -> u32 {
    let mut highest = 0;
    for clock in clocks {
        if clock.saturating_sub(highest) > LONGEST_JUMP {
            break;
        }
        highest = clock;
    }
    highest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_hides_what_lies_beyond_it_and_a_gap_does_not() {
        assert_eq!(highest_clock([]), 0);
        assert_eq!(highest_clock([1, 2, 2, 10_002]), 10_002);
        assert_eq!(highest_clock([1, 10_002, 99_999_999]), 1);
        assert_eq!(highest_clock([10_001]), 0);
        assert_eq!(highest_clock((1..=99_999_999).step_by(9_999)), 99_990_001);
    }
}
