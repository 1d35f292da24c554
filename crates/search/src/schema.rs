//! Fields of the index.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};

/// Increased when fields or their content change: an index of another format is rebuilt.
pub(crate) const FORMAT: u32 = 1;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) key: Field,
    pub(crate) chain: Field,
    pub(crate) creator: Field,
    pub(crate) tag: Field,
    pub(crate) access_type: Field,
    pub(crate) standing: Field,
    /// Names and tags.
    pub(crate) title: Field,
    /// All text.
    pub(crate) body: Field,
    /// Vocabulary of the title by trigram, see [`crate::vocabulary`].
    pub(crate) grams: Field,
}

/// Names of fields that are read as columns.
pub(crate) const CREATED_AT: &str = "created_at";
pub(crate) const USES: &str = "uses";
pub(crate) const TIE: &str = "tie";
pub(crate) const PRICE_ASSETS: &str = "price_assets";
pub(crate) const PRICE_AMOUNTS: &str = "price_amounts";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub(crate) created_at: Field,
    pub(crate) uses: Field,
    /// Breaks ties: a hash of the key, because ranks must not follow the order of ids (K-09).
    pub(crate) tie: Field,
    /// Hashes of the assets, and their amounts in the same order.
    pub(crate) price_assets: Field,
    pub(crate) price_amounts: Field,
}

pub(crate) fn build() -> (Schema, Fields, Columns) {
    let mut schema = Schema::builder();
    // Terms are analyzed before they are added: see [`crate::text`].
    let words = |name: &str, schema: &mut tantivy::schema::SchemaBuilder| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("whitespace")
            .set_index_option(IndexRecordOption::WithFreqs);
        schema.add_text_field(name, TextOptions::default().set_indexing_options(indexing))
    };
    let grams = TextFieldIndexing::default()
        .set_tokenizer("whitespace")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    let fields = Fields {
        key: schema.add_text_field("key", STRING | STORED),
        chain: schema.add_u64_field("chain", INDEXED),
        creator: schema.add_text_field("creator", STRING),
        tag: schema.add_text_field("tag", STRING),
        access_type: schema.add_text_field("access_type", STRING),
        standing: schema.add_u64_field("standing", INDEXED),
        title: words("title", &mut schema),
        body: words("body", &mut schema),
        grams: schema.add_text_field("grams", TextOptions::default().set_indexing_options(grams)),
    };
    let columns = Columns {
        created_at: schema.add_u64_field(CREATED_AT, FAST),
        uses: schema.add_u64_field(USES, FAST),
        tie: schema.add_u64_field(TIE, FAST),
        price_assets: schema.add_u64_field(PRICE_ASSETS, FAST),
        price_amounts: schema.add_u64_field(PRICE_AMOUNTS, FAST),
    };
    (schema.build(), fields, columns)
}
