//! Enums whose values have names.

/// Defines an enum whose values have one name each: in files, for `serde` and as `name`.
macro_rules! named_enum {
    ($(#[$meta:meta])* $vis:vis enum $Enum:ident { $($(#[$doc:meta])* $Value:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        $vis enum $Enum {
            $($(#[$doc])* #[serde(rename = $name)] $Value,)+
        }

        #[allow(dead_code, reason = "most enums need one of both")]
        impl $Enum {
            /// All values, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$Value),+];

            /// Returns the name in files and packs.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Value => $name,)+
                }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use named_enum;
