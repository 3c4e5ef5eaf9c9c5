//! The comparison of two documents.

use super::within;
use crate::wire;
use crate::{Client, CompareOptions, Error};

impl Client {
    /// Compares two documents, with the difference of their texts by lines.
    pub async fn compare(&self, a: wire::Side, b: wire::Side) -> Result<wire::CompareReply, Error> {
        self.compare_with(a, b, CompareOptions::default()).await
    }

    /// Compares two documents, without the difference of their texts.
    pub async fn compare_numbers(
        &self,
        a: wire::Side,
        b: wire::Side,
    ) -> Result<wire::CompareReply, Error> {
        let asked = CompareOptions {
            without_difference: true,
            ..CompareOptions::default()
        };
        self.compare_with(a, b, asked).await
    }

    /// Compares two documents with the given options.
    pub async fn compare_with(
        &self,
        a: wire::Side,
        b: wire::Side,
        asked: CompareOptions,
    ) -> Result<wire::CompareReply, Error> {
        let schemes = asked.schemes.into_iter();
        let request = wire::CompareRequest {
            a: Some(a),
            b: Some(b),
            without_difference: asked.without_difference,
            schemes: schemes.map(Into::into).collect(),
            n: asked.n,
            with_judgement: asked.with_judgement,
            with_words: asked.with_words,
            with_operations: asked.with_operations,
        };
        within(self.limits.item, self.similarity.clone().compare(request)).await
    }
}
