var cart={badge:1,articles:2,icon:3,empty:4};
