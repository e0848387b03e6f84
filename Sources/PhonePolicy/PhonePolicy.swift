// PhonePolicy: being built.
