//! What the elements of OMML and MathML show, by their names.

/// What an element makes of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Shape {
    /// Operands one behind the other.
    #[default]
    Row,
    /// The text of a sign, a name or a number, without white space around it.
    Token,
    /// Text in quotation marks.
    Quoted,
    /// A gap between two signs.
    Space,
    /// Numerator and denominator.
    Fraction,
    /// One operand under the sign.
    SquareRoot,
    /// Degree and radicand.
    Radical,
    /// Radicand and degree.
    Root,
    /// Base and the script below its end, above it, or both.
    Below,
    Above,
    BelowAbove,
    /// Base and what is under all of it, over it, or both.
    Under,
    Over,
    UnderOver,
    /// What is written below and above before the base, and the base.
    Before,
    /// Base, pairs behind it, a divider, pairs before it.
    Scripts,
    Divider,
    /// A sign with limits, and what it is applied to.
    Operator,
    /// Operands between delimiters.
    Fenced,
    /// A name and what it is applied to.
    Function,
    /// Rows of cells.
    Table,
    /// Cells of a row.
    Cells,
    /// A sign over or under its base: this one if none is stated.
    Marked(char),
    /// A bar over or under its base.
    Bar,
    /// Lines around or through its content.
    Enclosed,
    /// Lines around or through its content, of OMML.
    Boxed,
    /// Its content, or room for it.
    Phantom,
    /// The first operand alone.
    First,
    /// Properties of the element around it.
    Properties,
    /// Nothing that is shown.
    Nothing,
}

impl Shape {
    /// The shape of an element by its name without prefix. Others are rows.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "mi" | "mn" | "mo" | "mtext" => Self::Token,
            "ms" => Self::Quoted,
            "mspace" | "mphantom" => Self::Space,
            "f" | "mfrac" => Self::Fraction,
            "msqrt" => Self::SquareRoot,
            "rad" => Self::Radical,
            "mroot" => Self::Root,
            "sSub" | "msub" => Self::Below,
            "sSup" | "msup" => Self::Above,
            "sSubSup" | "msubsup" => Self::BelowAbove,
            "limLow" | "munder" => Self::Under,
            "limUpp" | "mover" => Self::Over,
            "munderover" => Self::UnderOver,
            "sPre" => Self::Before,
            "mmultiscripts" => Self::Scripts,
            "mprescripts" => Self::Divider,
            "nary" => Self::Operator,
            "d" | "mfenced" => Self::Fenced,
            "func" => Self::Function,
            "m" | "eqArr" | "mtable" | "mstack" => Self::Table,
            "mr" | "mtr" | "mlabeledtr" => Self::Cells,
            "acc" => Self::Marked('\u{302}'),
            "groupChr" => Self::Marked('⏟'),
            "bar" => Self::Bar,
            "menclose" => Self::Enclosed,
            "borderBox" => Self::Boxed,
            "phant" => Self::Phantom,
            "semantics" | "maction" => Self::First,
            "annotation" | "annotation-xml" => Self::Nothing,
            _ if name.ends_with("Pr") => Self::Properties,
            _ => Self::Row,
        }
    }

    /// Whether each part is an operand of its own.
    pub(super) fn has_operands(self) -> bool {
        !matches!(
            self,
            Self::Row | Self::Token | Self::Quoted | Self::SquareRoot | Self::Enclosed
        )
    }

    /// Attributes that change what is shown. OMML has elements in their place.
    pub(super) fn attributes(self) -> &'static [&'static str] {
        match self {
            Self::Quoted => &["lquote", "rquote"],
            Self::Fraction => &["linethickness"],
            Self::Fenced => &["open", "close", "separators"],
            Self::Enclosed => &["notation"],
            _ => &[],
        }
    }
}
