/** Protocol events of a run: counted by the product, collected and compared with a list here. */
@NullMarked
package io.lampone.faultlab.event;

import org.jspecify.annotations.NullMarked;
