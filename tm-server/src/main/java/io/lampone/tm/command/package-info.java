/** Commands of people and tools to a transaction manager, beside the requests of transactions. */
@NullMarked
package io.lampone.tm.command;

import org.jspecify.annotations.NullMarked;
