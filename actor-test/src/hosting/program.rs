//! The engine's program of a declared test: the body with the values of its parameters.

use std::future::Future;
use std::pin::Pin;

use actor_core::System;

use crate::declaration::attribute::TestBody;
use crate::declaration::parameters::Combination;
use crate::engine::Program;

impl Program for Combination {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        match self.test.body {
            TestBody::Sync(body) => {
                body(&System::controlled(), self.chosen());
                None
            }
            TestBody::Async(body) => {
                let chosen = self.chosen().to_vec();
                Some(Box::pin(async move {
                    let system = System::controlled();
                    body(&system, &chosen).await;
                }))
            }
        }
    }
}
