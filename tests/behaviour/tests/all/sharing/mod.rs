//! Tasks, threads and the objects that they share; time that passes in them.

mod owned_guards;
mod scoped_threads;
mod task_time;
mod tasks;
mod tasks_and_threads_wait;
mod threads;
mod time_passes;
mod wake_ups;
